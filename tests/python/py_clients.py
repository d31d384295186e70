#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_clients.py - libraries that know nothing of gnd work on its arrays: scikit-learn with
# array_api_dispatch, SciPy with SCIPY_ARRAY_API, einops, xarray, matplotlib. ./quickstart check
# installs them into build/clients at pinned versions. One point for each function or estimator,
# which has to give what it gives for NumPy's arrays, as an array of gnd's but where it is said that
# it works on the host. GND_TEST_ALL: every estimator that scikit-learn says it supports.
import os
import subprocess
import sys
import warnings

BUILD = os.environ['GND_BUILDDIR']
VENV = os.path.join(BUILD, 'clients', 'venv', 'bin', 'python')
MODULES = 'sklearn, scipy, einops, xarray, matplotlib'

if os.environ.get('GND_TEST_SANITIZERS', 'no') == 'no':
    if os.path.exists(VENV) and not sys.executable.startswith(os.path.dirname(VENV)):
        os.execv(VENV, [VENV, '-B', *sys.argv])
    os.environ.update(SCIPY_ARRAY_API='1', MPLBACKEND='Agg', OPENBLAS_NUM_THREADS='1')
    if subprocess.run([sys.executable, '-c', f'import {MODULES}'], capture_output=True).returncode:
        why = os.path.join(BUILD, 'clients.why')
        reason = open(why, encoding='utf-8').read().strip() if os.path.exists(why) else './quickstart check installs them'
        print(f'1..0 # SKIP no Python with {MODULES}: {reason}')
        sys.exit(0)

import pytap as t  # noqa: E402
from pytap import gnd, np  # noqa: E402

EVERY = 'GND_TEST_ALL' in os.environ
RNG = np.random.default_rng(7)
A = RNG.normal(size=(12, 5))
B = RNG.normal(size=(12, 5)) + 0.3
P = RNG.uniform(0.05, 0.95, size=40)
S = np.sin(np.linspace(0, 20, 64)) + 0.1 * RNG.normal(size=64)


def close(got, want, tolerance):
    """Whether both are the same: arrays, numbers, and nested tuples, lists and dicts of them."""
    if isinstance(want, dict):
        return want.keys() == got.keys() and all(close(got[k], want[k], tolerance) for k in want)
    if isinstance(want, (tuple, list)) and not np.isscalar(want):
        return len(got) == len(want) and all(map(close, got, want, [tolerance] * len(want)))
    g, w = gnd.asnumpy(got), np.asarray(want)
    if w.dtype.kind not in 'biufc':
        return bool((g == w).all())
    return g.shape == w.shape and bool(np.allclose(g, w, rtol=tolerance, atol=tolerance, equal_nan=True))


def arrays(value):
    """The arrays in a result."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in arrays(v)]
    return [value] if isinstance(value, (np.ndarray, np.generic, gnd.ndarray)) else []


def compare(name, f, *inputs, tolerance=1e-8, host=False):
    """f of gnd's arrays gives what f of NumPy's gives; host: its result may be NumPy's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            want = f(np, *inputs)
            got = f(gnd, *(gnd.asarray(a) if isinstance(a, np.ndarray) else a for a in inputs))
        same = close(got, want, tolerance)
        ours = host or all(isinstance(a, gnd.ndarray) for a in arrays(got))
        if not t.ok(same and ours, name):
            t.say(f'{"other values" if not same else "not an array of gnd"}: got {str(got)[:600]}\nwanted {str(want)[:600]}')
    except Exception as e:
        import traceback
        t.ok(False, name)
        t.say(''.join(traceback.format_exception(e)[-3:]))


def test_special():
    from scipy import special
    for name in ('gammaln', 'erf', 'erfc', 'expit', 'logit', 'ndtr', 'log_ndtr', 'i0', 'i1', 'entr'):
        if name in ('i0', 'i1', 'log_ndtr') and not EVERY:
            continue
        compare(f'scipy.special.{name}', lambda xp, x, f=getattr(special, name): f(x), P)
    for name in ('xlogy', 'rel_entr'):
        compare(f'scipy.special.{name} of two', lambda xp, x, y, f=getattr(special, name): f(x, y), P, P[::-1].copy())
    for name in ('logsumexp', 'softmax', 'log_softmax'):
        compare(f'scipy.special.{name}', lambda xp, x, f=getattr(special, name): f(x, axis=1), A)
    compare('scipy.special.j0', lambda xp, x: special.j0(x), P)


def test_stats():
    from scipy import stats
    cases = {
        'zscore': lambda xp, a, b: stats.zscore(a),
        'skew': lambda xp, a, b: stats.skew(a),
        'kurtosis': lambda xp, a, b: stats.kurtosis(a),
        'moment': lambda xp, a, b: stats.moment(a, 3),
        'variation': lambda xp, a, b: stats.variation(a + 10),
        'sem': lambda xp, a, b: stats.sem(a),
        'gmean': lambda xp, a, b: stats.gmean(xp.exp(a)),
        'hmean': lambda xp, a, b: stats.hmean(xp.exp(a)),
        'entropy': lambda xp, a, b: stats.entropy(xp.exp(a)),
        'describe': lambda xp, a, b: tuple(stats.describe(a))[2:],
        'ttest_ind': lambda xp, a, b: tuple(stats.ttest_ind(a, b)),
        'ttest_rel': lambda xp, a, b: tuple(stats.ttest_rel(a, b)),
        'ttest_1samp': lambda xp, a, b: tuple(stats.ttest_1samp(a, 0.1)),
        'pearsonr': lambda xp, a, b: tuple(stats.pearsonr(a[:, 0], b[:, 0])),
        'bartlett': lambda xp, a, b: tuple(stats.bartlett(a, b)),
        'chisquare': lambda xp, a, b: tuple(stats.chisquare(xp.abs(a) + 1, axis=None, f_exp=None)),
        'rankdata': lambda xp, a, b: stats.rankdata(a, axis=0),
        'mannwhitneyu': lambda xp, a, b: tuple(stats.mannwhitneyu(a, b, method='asymptotic')),
        'quantile': lambda xp, a, b: stats.quantile(a, 0.3, axis=0),
        'zmap': lambda xp, a, b: stats.zmap(a, b),
        'power_divergence': lambda xp, a, b: tuple(stats.power_divergence(xp.abs(a) + 1, lambda_='log-likelihood')),
        'jarque_bera': lambda xp, a, b: tuple(stats.jarque_bera(a[:, 0])),
    }
    few = ('zscore', 'skew', 'ttest_ind', 'rankdata', 'quantile', 'describe', 'entropy')
    for name, f in cases.items():
        if EVERY or name in few:
            compare(f'scipy.stats.{name}', f, A, B)
    compare('scipy.stats.norm.cdf, on the host', lambda xp, x: stats.norm.cdf(x), P, host=True)


def test_signal():
    from scipy import signal
    taps = signal.firwin(9, 0.4)
    b, a = signal.butter(3, 0.2)
    sos = signal.butter(4, 0.2, output='sos')
    cases = {
        'fftconvolve': lambda xp, x: signal.fftconvolve(x, xp.asarray(taps), mode='same'),
        'convolve': lambda xp, x: signal.convolve(x, xp.asarray(taps)),
        'oaconvolve': lambda xp, x: signal.oaconvolve(x, xp.asarray(taps)),
        'lfilter': lambda xp, x: signal.lfilter(xp.asarray(b), xp.asarray(a), x),
        'filtfilt': lambda xp, x: signal.filtfilt(xp.asarray(b), xp.asarray(a), x),
        'sosfilt': lambda xp, x: signal.sosfilt(xp.asarray(sos), x),
        'detrend': lambda xp, x: signal.detrend(x),
        'hilbert': lambda xp, x: signal.hilbert(x),
        'medfilt': lambda xp, x: signal.medfilt(x, 3),
        'resample': lambda xp, x: signal.resample(x, 32),
        'savgol_filter': lambda xp, x: signal.savgol_filter(x, 7, 2),
        'windows.hann': lambda xp, x: signal.windows.hann(16, xp=xp),
    }
    few = ('fftconvolve', 'lfilter', 'sosfilt', 'detrend', 'hilbert', 'medfilt', 'windows.hann')
    for name, f in cases.items():
        if EVERY or name in few:
            compare(f'scipy.signal.{name}', f, S)


def test_scipy():
    from scipy import cluster, fft, integrate, ndimage
    centroids = A[:3].copy()
    compare('scipy.cluster.vq.whiten', lambda xp, a: cluster.vq.whiten(a), A)
    compare('scipy.cluster.vq.vq', lambda xp, a, c: cluster.vq.vq(a, c), A, centroids)
    compare('scipy.cluster.vq.kmeans', lambda xp, a, c: cluster.vq.kmeans(a, c), A, centroids)
    compare('scipy.cluster.vq.kmeans2', lambda xp, a, c: cluster.vq.kmeans2(a, c, minit='matrix'), A, centroids)
    compare('scipy.fft.rfft', lambda xp, x: fft.rfft(x), S)
    compare('scipy.integrate.trapezoid', lambda xp, x: integrate.trapezoid(x, dx=0.5), S)
    compare('scipy.ndimage.gaussian_filter', lambda xp, a: ndimage.gaussian_filter(a, 1.0), A)


def test_einops():
    import einops
    x = RNG.normal(size=(2, 3, 4, 5))
    cases = {
        'rearrange': lambda xp, x: einops.rearrange(x, 'b c h w -> b (h w) c'),
        'rearrange into parts': lambda xp, x: einops.rearrange(x, 'b c (h two) w -> two b c h w', two=2),
        'rearrange of a list': lambda xp, x: einops.rearrange([x, x + 1], 'n b c h w -> b n c h w'),
        'reduce by mean': lambda xp, x: einops.reduce(x, 'b c h w -> b c', 'mean'),
        'reduce by max': lambda xp, x: einops.reduce(x, 'b c (h k) w -> b c h w', 'max', k=2),
        'repeat': lambda xp, x: einops.repeat(x, 'b c h w -> b c h (w three)', three=3),
        'einsum': lambda xp, x: einops.einsum(x, x, 'b c h w, b c h v -> b w v'),
        'pack': lambda xp, x: einops.pack([x, x[:, 0]], 'b * w')[0],
        'asnumpy': lambda xp, x: einops.asnumpy(x) if xp is gnd else x,
    }
    for name, f in cases.items():
        compare(f'einops {name}', f, x, host=name == 'asnumpy')
    t.ok(einops.parse_shape(gnd.asarray(x), 'b c h w') == dict(b=2, c=3, h=4, w=5), 'einops parse_shape')


def test_xarray():
    import xarray as xr

    def table(x):
        return xr.DataArray(x, dims=('time', 'place'), coords={'time': np.arange(12), 'place': list('abcde')}, name='v')
    cases = {
        'mean': lambda d: d.mean('time'),
        'std': lambda d: d.std('place'),
        'sel': lambda d: d.sel(place='c'),
        'isel': lambda d: d.isel(time=slice(2, 8, 2)),
        'where': lambda d: d.where(d > 0),
        'fillna': lambda d: d.where(d > 0).fillna(0),
        'arithmetic with broadcasting': lambda d: d - d.mean('time') * 2,
        'a function of NumPy': lambda d: np.exp(d),
        'concat': lambda d: xr.concat([d, d + 1], 'time'),
        'groupby': lambda d: d.groupby(d.time % 3).mean(),
        'rolling': lambda d: d.rolling(time=3).mean(),
        'stack': lambda d: d.stack(z=('time', 'place')),
        'transpose': lambda d: d.transpose('place', 'time'),
        'dot': lambda d: xr.dot(d, d, dim='time'),
        'dataset': lambda d: xr.Dataset({'v': d}).max('time')['v'],
    }
    for name, f in cases.items():
        compare(f'xarray {name}', lambda xp, x, f=f: f(table(x)).data, A)
    t.ok('gnd.ndarray' in repr(table(gnd.asarray(A))) or '<xarray.DataArray' in repr(table(gnd.asarray(A))), 'xarray repr')
    compare('xarray to_numpy', lambda xp, x: table(x).to_numpy(), A, host=True)


def test_matplotlib():
    from matplotlib import pyplot as plt

    def picture(draw, *inputs):
        figure, axes = plt.subplots(figsize=(2, 1.5), dpi=50)
        draw(axes, *inputs)
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
        plt.close(figure)
        return pixels
    cases = {
        'plot': lambda ax, x, a: ax.plot(x, x * 2),
        'scatter': lambda ax, x, a: ax.scatter(x, x ** 2, c=x),
        'imshow': lambda ax, x, a: ax.imshow(a),
        'hist': lambda ax, x, a: ax.hist(x, bins=8),
        'contourf': lambda ax, x, a: ax.contourf(a),
        'errorbar': lambda ax, x, a: ax.errorbar(x, x, yerr=abs(x) / 4),
        'fill_between': lambda ax, x, a: ax.fill_between(x, x - 1, x + 1),
        'bar': lambda ax, x, a: ax.bar(x, x + 1),
    }
    for name, f in cases.items():
        compare(f'matplotlib {name}', lambda xp, x, a, f=f: picture(f, x, a), S[:20], A, host=True)


def estimators():
    """Those that are tested."""
    from sklearn import decomposition, linear_model, preprocessing
    yield preprocessing.StandardScaler()
    yield preprocessing.MaxAbsScaler()
    yield preprocessing.Normalizer()
    yield preprocessing.Binarizer()
    yield preprocessing.PolynomialFeatures()
    if EVERY:
        yield decomposition.PCA(n_components=2, svd_solver='full')
        yield linear_model.Ridge(solver='svd')
        from sklearn.utils._test_common.instance_generator import _construct_instances
        from sklearn.utils._testing import SkipTest
        from sklearn.utils.discovery import all_estimators
        for name, kind in all_estimators():
            if name in ('PCA', 'LabelEncoder'):  # its scores are infinite here; no sample weights
                continue
            try:
                instance = next(iter(_construct_instances(kind)))
            except (StopIteration, TypeError, ImportError, SkipTest):
                continue
            if instance.__sklearn_tags__().array_api_support:
                yield instance


def test_sklearn():
    from sklearn import config_context, metrics, model_selection, pipeline, preprocessing
    from sklearn.utils._testing import SkipTest
    from sklearn.utils.estimator_checks import check_array_api_input
    for estimator in estimators():
        name = f'scikit-learn {type(estimator).__name__}'
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                check_array_api_input(name, estimator, array_namespace='gnd', check_values=True, check_sample_weight=True)
            t.ok(True, name)
        except SkipTest as e:
            t.ok(False, f'{name}: skips itself: {e}')
        except Exception as e:
            import traceback
            t.ok(False, name)
            t.say(''.join(traceback.format_exception(e)[-4:]))
    labels = (A[:, 0] > 0).astype('int64')
    guess = (A[:, 0] + 0.3 * B[:, 0] > 0).astype('int64')
    with config_context(array_api_dispatch=True):
        compare('scikit-learn accuracy_score', lambda xp, a, b: metrics.accuracy_score(a, b), labels, guess)
        if EVERY:
            compare('scikit-learn f1_score', lambda xp, a, b: metrics.f1_score(a, b), labels, guess)
        compare('scikit-learn r2_score', lambda xp, a, b: metrics.r2_score(a, b), A[:, 0].copy(), A[:, 0] + 0.1)
        compare('scikit-learn mean_squared_error', lambda xp, a, b: metrics.mean_squared_error(a, b), A, B)
        compare('scikit-learn euclidean_distances', lambda xp, a, b: metrics.pairwise.euclidean_distances(a, b), A, B)
        compare('scikit-learn train_test_split', lambda xp, a: model_selection.train_test_split(a, random_state=1), A)
        compare('scikit-learn LabelEncoder', lambda xp, a: preprocessing.LabelEncoder().fit_transform(a), labels * 3 + 2)

        def pipe(xp, a):
            p = pipeline.make_pipeline(preprocessing.StandardScaler(), preprocessing.MinMaxScaler())
            return p.fit(a).transform(a)
        if EVERY:
            compare('scikit-learn Pipeline', pipe, A)


t.run([test_special, test_stats, test_signal, test_scipy, test_einops, test_xarray, test_matplotlib, test_sklearn])
