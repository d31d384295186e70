#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Mandelbrot set as a kernel in Python, and how much faster than plain Python it is."""
import time

import numpy as np
from gnd import cuda


def mandel(x, y, max_iters):
    c = complex(x, y)
    z = 0.0j
    for i in range(max_iters):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return max_iters


mandel_gpu = cuda.jit(device=True)(mandel)


@cuda.jit
def mandel_kernel(min_x, max_x, min_y, max_y, image, iters):
    height, width = image.shape
    x, y = cuda.grid(2)
    if x < width and y < height:
        real = min_x + x * (max_x - min_x) / width
        imag = min_y + y * (max_y - min_y) / height
        image[y, x] = mandel_gpu(real, imag, iters)


def main(height=512, width=768, iters=50, rows=16):
    """The image; the plain one is made of `rows` rows, and its time scaled."""
    image = np.zeros((height, width), np.uint8)
    blocks, threads = (-(-width // 32), -(-height // 8)), (32, 8)
    mandel_kernel[blocks, threads](-2.0, 1.0, -1.0, 1.0, image, iters)
    image[:] = 0
    start = time.perf_counter()
    mandel_kernel[blocks, threads](-2.0, 1.0, -1.0, 1.0, image, iters)
    device = time.perf_counter() - start
    start = time.perf_counter()
    step = height // rows
    plain = np.array([[mandel(-2.0 + x * 3.0 / width, -1.0 + y * 2.0 / height, iters) for x in range(width)]
                      for y in range(0, height, step)], np.uint8)
    python = (time.perf_counter() - start) * height / len(plain)
    return image, np.array_equal(image[::step], plain), device, python


if __name__ == '__main__':
    image, same, device, python = main()
    print(f'{image.shape[1]} x {image.shape[0]}: {device:.4f} s, plain Python {python:.2f} s: {python / device:.0f} times as fast; '
          f'{"the same" if same else "NOT the same"} image')
