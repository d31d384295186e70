#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_hosts.sh - programs of tests/mpi on three hosts with a real network between them: network namespaces of this
# machine (ip netns, veth, TCP), each with a host name, an address and a clock of its own, reached by names and by
# addresses. All of it is made in namespaces of this script, so nothing is left behind.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "mpi.sh has the same paths with sanitizers"
for tool in unshare ip mount hostname; do
    command -v $tool >/dev/null || skip_all "no $tool (Debian: iproute2, util-linux)"
done
user=
if [ "$(id -u)" != 0 ]; then user=--map-root-user; fi

# The head: a network of its own with a bridge, to which the hosts are tied. It has no ranks. MPICH wants one name for the
# device of every host, and the head.
if [ -z "${GND_TEST_HEAD-}" ]; then
    # shellcheck disable=SC2086 # an option or none
    unshare $user --net --mount --uts --time --fork true 2>err || skip_all "no namespaces here: $(head -n 1 err)"
    # shellcheck disable=SC2086
    GND_TEST_HEAD=yes exec unshare $user --net --mount --uts sh "$GND_SRCDIR/tests/mpi/mpi_hosts.sh"
fi
. "$GND_SRCDIR/tests/mpi/start.sh"

hosts='1 2 3'
{
    mkdir -p /run/netns && mount -t tmpfs none /run/netns && hostname head &&
        ip link set lo up && ip link add eth0 type bridge && ip addr add 10.77.0.254/24 dev eth0 && ip link set eth0 up
} 2>err || skip_all "no network namespaces here: $(head -n 1 err)"
printf '127.0.0.1 localhost\n10.77.0.254 head\n' >hosts
for i in $hosts; do
    {
        ip netns add node$i && ip link add veth$i type veth peer name eth0 netns node$i &&
            ip link set veth$i master eth0 up && ip -n node$i link set lo up &&
            ip -n node$i addr add 10.77.0.$i/24 dev eth0 && ip -n node$i link set eth0 up
    } 2>err || skip_all "no virtual network devices here: $(head -n 1 err)"
    echo "10.77.0.$i node$i" >>hosts
done
mount --bind hosts /etc/hosts 2>err || skip_all "/etc/hosts cannot be covered: $(head -n 1 err)"

# The agent that starts a command on a host, in place of ssh: agent [-OPTION...] HOST COMMAND...
cat >agent <<'A'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
name=node${1##*[.e]} # of node2 or 10.77.0.2
shift
exec ip netns exec "$name" unshare --uts --time --monotonic "${name#node}000" --fork \
    sh -c 'hostname "$0"; eval "$*"' "$name" "$@"
A
chmod +x agent

start=$mpirun limit=
case $($start --version 2>&1 | head -n 1) in
    *"Open MPI"* | *OpenRTE*)
        tcp="--mca plm_rsh_agent $PWD/agent --mca plm_rsh_no_tree_spawn 1 --mca btl tcp,self --mca btl_tcp_if_include eth0 \
            --mca oob_tcp_if_include 10.77.0.0/24"
        at() { echo "$start $tcp --map-by node --host $1:2,$2:2,$3:2"; }
        ;;
    *) # UCX would see that the hosts are one machine
        UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
        export UCX_TLS UCX_NET_DEVICES
        at() { echo "$start -launcher ssh -launcher-exec $PWD/agent -iface eth0 -hosts $1,$2,$3"; }
        # MPI_Finalize of MPICH 4.0 waits for ever over UCX, now and then: github.com/pmodels/mpich/pull/6596. What a
        # program did before it is complete.
        limit='timeout -k 5 60'
        ;;
esac

# By names: 3 ranks, one on each host. Their messages are TCP's: the counters of the hosts' network devices tell.
mpirun=$(at node1 node2 node3)
sent() { ip -n node2 -s -j link show eth0 | sed 's/.*"tx":{"bytes":\([0-9]*\).*/\1/'; }
before=$(sent)
started 3 mpi_faults
started 3 mpi_eval
check "the data of node2 went through its network device" test $(($(sent) - before)) -gt 20000
export GND_TRACE=trace.json
# shellcheck disable=SC2086 # a command and its options
$limit $mpirun -n 3 "$GND_BUILDDIR/tools/.libs/gnd" eval --mpi \
    'x = zeros((90, 90)) + arange(90.); y = x + x.T; z = y @ y.T; (z + z.T + sin(y).T).sum()' >out 2>err
unset GND_TRACE
check "clocks a thousand seconds apart are one in the merged trace" \
    python3 "$GND_SRCDIR/tests/mpi/merged.py" trace.json 3
check "which names the hosts" test "$(grep -o 'rank [0-2]: node[1-3]' trace.json | sort -u | wc -l)" = 3
# shellcheck disable=SC2086
$limit $mpirun -n 3 "$GND_BUILDDIR/tools/.libs/gnd" devices --mpi >out 2>err
check "the hosts of the ranks are three" test "$(grep -c '^rank [0-2]: node[1-3]' out)" = 3

# Products, transforms and sorts have the values of one rank, in a file that the three hosts write.
gnd eval 'sin(arange(2040.).reshape(60, 34) * 0.7)' -o x.npy || fail "an array to begin with"
text='f = fft2(x); g = fft(x.ravel()); s = argsort(x.ravel())
concat(((x @ x.T).ravel(), (x.T @ x).ravel(), f.real.ravel(), f.imag.ravel(), g.real, g.imag, s, sort(x, axis=0).ravel()))'
gnd eval "$text" x=x.npy -o want.npy || fail "their values on one rank"
# shellcheck disable=SC2086
$limit $mpirun -n 3 "$GND_BUILDDIR/tools/.libs/gnd" eval --mpi "$text" x=x.npy -o got.npy >out 2>err
check "x @ x.T, x.T @ x, fft2, fft, argsort and sort: 16996 values" \
    test "$(gnd eval 'all(abs(a - b) <= 1e-5 * abs(b).max()) & (size(a) == 16996)' a=got.npy b=want.npy)" = True
check "of which 2040 were sorted, to the bit" \
    test "$(gnd eval 'all(a[-4080:] == b[-4080:]) & (size(unique(a[-4080:-2040])) == 2040)' a=got.npy b=want.npy)" = True
[ -s got.npy ] || head -n 20 err | diag
if [ -n "${GND_TEST_ALL-}" ]; then started 3 mpi_files .; fi
# shellcheck disable=SC2086
$limit $mpirun -n 3 "$GND_BUILDDIR/examples/spectrum_mpi" 96 >out 2>err
"$GND_BUILDDIR/examples/spectrum_mpi" 96 >one 2>>err
peak() { sed 's/^[0-9]* ranks*: //; s/;.*//' "$1"; }
check "examples/spectrum_mpi finds $(peak one)" test "$(peak out)" = "$(peak one)"
check "and the same energy, but for roundings" grep -Eq 'Parseval holds to (0|[0-9]+e-1[0-9])$' out

# By addresses: 4 ranks, two of them on one host.
mpirun=$(at 10.77.0.1 10.77.0.2 10.77.0.3)
started 4 mpi_handles
done_testing
