"""rows.py gnd|peers [names]: times in ms of expressions."""
import sys, time, statistics, json, os
import numpy as np
side=sys.argv[1]; only=sys.argv[2:]
rng=np.random.default_rng(5)
def att(np_,q,k,v,t,sc,causal):
    s=q@k.swapaxes(-1,-2)*sc
    if causal: s=np_.where(np_.arange(t)[:,None]>=np_.arange(t),s,-1e4)
    e=np_.exp(s-s.max(axis=-1,keepdims=True)); return (e/e.sum(axis=-1,keepdims=True))@v
C={}
def case(name,ins,f,torch=None,cupy=True): C[name]=(ins,f,torch,cupy)
for b,h,t,c,dt,ca in [(3,3,1221,80,'float16',0),(3,3,1221,80,'bfloat16',1),(4,12,1400,64,'float16',1),(4,12,1400,64,'float16',0),(4,12,1400,128,'bfloat16',1),(4,12,1400,128,'bfloat16',0),(4,4,113,64,'float32',1),(3,7,83,128,'float32',1),(4,9,182,80,'float32',1),(2,7,1149,128,'float32',1),(4,12,1400,64,'float32',0),(2,5,600,128,'float32',1),(1,2,79,64,'float32',0),(6,6,300,64,'float16',1)]:
    case(f'att {b}x{h}x{t}x{c} {dt} {"causal" if ca else ""}',[((b,h,t,c),dt)]*3,
         (lambda t,c,ca: lambda np_,q,k,v: att(np_,q,k,v,t,round(c**-0.5,5),ca))(t,c,ca),
         (lambda ca: lambda torch,q,k,v: torch.nn.functional.scaled_dot_product_attention(q,k,v,is_causal=bool(ca)))(ca),cupy=False)
for s in [(597585,19),(384267,11),(3000000,3)]:
    case(f'argmax0 {s}',[(s,'float32')],lambda np_,x:x.argmax(axis=0),lambda torch,x:x.argmax(dim=0),False)
    case(f'sum0 {s}',[(s,'float32')],lambda np_,x:x.sum(axis=0),lambda torch,x:x.sum(dim=0))
    case(f'max0 {s}',[(s,'float32')],lambda np_,x:x.max(axis=0),lambda torch,x:x.amax(dim=0))
case('sum0 f64 (400000,7)',[((400000,7),'float64')],lambda np_,x:x.sum(axis=0),lambda torch,x:x.sum(dim=0))
case('mean0 u8 (3000001,5)',[((3000001,5),'uint8')],lambda np_,x:x.mean(axis=0),lambda torch,x:x.double().mean(dim=0))
case('argmin0 (5001,9)',[((5001,9),'float32')],lambda np_,x:x.argmin(axis=0),lambda torch,x:x.argmin(dim=0))
case('sum0 (5001,9)',[((5001,9),'float32')],lambda np_,x:x.sum(axis=0),lambda torch,x:x.sum(dim=0))
case('sum0 (60001,13)',[((60001,13),'float32')],lambda np_,x:x.sum(axis=0),lambda torch,x:x.sum(dim=0))
case('var0 (597585,19)',[((597585,19),'float32')],lambda np_,x:x.var(axis=0),lambda torch,x:x.var(dim=0))
for s in [(96243,5,3,2,5),(7000001,),(30000007,)]:
    case(f'var {s}',[(s,'float32')],lambda np_,x:x.var(axis=None),lambda torch,x:x.var())
for n in (12437,581175,3000000):
    case(f'cross {n}',[((n,3),'float32')]*2,lambda np_,x,y:np_.cross(x,y),lambda torch,x,y:torch.linalg.cross(x,y))
def ce(np_,x,y):
    m=x.max(axis=1,keepdims=True); l=x-m-np_.log(np_.exp(x-m).sum(axis=1,keepdims=True))
    return -np_.take_along_axis(l,y[:,None],axis=1).mean()
case('ce 8x81',[((8,81),'float32'),((8,),'int64')],ce,lambda torch,x,y:torch.nn.functional.cross_entropy(x,y))
case('perm 1320478x6',[((1320478,6),'float32')],lambda np_,x:np_.random.permutation(x),None)
case('cumsum 10636996',[((10636997,),'float32')],lambda np_,x:np_.cumsum(x[1:],axis=0),lambda torch,x:torch.cumsum(x[1:],0))
case('cumsum f64 2154207',[((2154207,),'float64')],lambda np_,x:np_.cumsum(x,axis=0),lambda torch,x:torch.cumsum(x,0))
def ln(np_,x,g,b):
    m=x.mean(axis=1,keepdims=True); v=x.var(axis=1,keepdims=True); return (x-m)/np_.sqrt(v+1e-3)*g+b
case('ln 2212994x11',[((2212994,11),'float32'),((11,),'float32'),((11,),'float32')],ln,lambda torch,x,g,b:torch.nn.functional.layer_norm(x,(11,),g,b,1e-3))
case('tr5',[((15,17,35,77,30),'float32')],lambda np_,x:x.transpose(1,0,3,4,2)+1,lambda torch,x:x.permute(1,0,3,4,2)+1)
case('view',[((1,653,1506),'float64')],lambda np_,x:np_.ascontiguousarray(x.transpose(1,2,0)),lambda torch,x:x.permute(1,2,0).contiguous())
for n,dt in ((165,'float64'),(473,'float32')):
    case(f'cholesky {n} {dt}',[((n,n),dt,'spd')],lambda np_,a:np_.linalg.cholesky(a),lambda torch,a:torch.linalg.cholesky(a))
case('inv 73',[((73,73),'float64','spd')],lambda np_,a:np_.linalg.inv(a),lambda torch,a:torch.linalg.inv(a))
case('qr 17017x4',[((17017,4),'float64')],lambda np_,a:np_.linalg.qr(a)[1],lambda torch,a:torch.linalg.qr(a).R)
case('median 10M',[((10000001,),'float32')],lambda np_,x:np_.median(x),lambda torch,x:x.median())
case('median 60M',[((60000001,),'float32')],lambda np_,x:np_.median(x),lambda torch,x:x.median())
case('percentile 3M f64',[((3000001,),'float64')],lambda np_,x:np_.percentile(x,37.),None)
case('u32max view',[((4001,3001),'uint32')],lambda np_,x:x[1:,1:].max(),None)
if side=='gnd':
    import gnd; gnd.Device(os.environ.get('DEV','cuda:0')).use()
def make(spec):
    s,dt=spec[0],spec[1]
    if len(spec)>2:
        a=rng.standard_normal(s); a=a@a.T/s[0]+np.eye(s[0]); return a.astype(dt)
    if dt.startswith(('int','uint')): return rng.integers(0,8,s).astype(dt)
    return rng.random(s,dtype=np.float32).astype(dt if dt!='bfloat16' else 'float32')
def timeit(f,sync,reps=5):
    try:
        f(); f(); sync()
    except Exception as e: return repr(e)[:60]
    t=time.perf_counter(); f(); sync(); d=time.perf_counter()-t
    n=max(3,int(0.02/max(d,1e-6))); out=[]
    for _ in range(reps):
        t=time.perf_counter()
        for _ in range(n): r=f()
        sync(); out.append((time.perf_counter()-t)/n)
    return round(statistics.median(out)*1e3,5)
res={}
for name,(ins,f,tf,cu) in C.items():
    if only and not any(o in name for o in only): continue
    h=[make(s) for s in ins]
    if side=='gnd':
        xs=[gnd.asarray(a) if s[1]!='bfloat16' else gnd.asarray(a).astype('bfloat16') for a,s in zip(h,ins)]
        gnd.evaluate(*xs)
        def call():
            r=f(gnd,*xs); gnd.evaluate(r); return r
        res[name]=timeit(call,gnd.synchronize)
        print(name,res[name],flush=True)
    else:
        import torch, cupy
        d={}
        if tf:
            ts=[torch.as_tensor(a.astype('int64') if a.dtype.name=='uint32' else a).cuda() for a in h]
            ts=[t.to(torch.bfloat16) if s[1]=='bfloat16' else t for t,s in zip(ts,ins)]
            d['torch']=timeit(lambda: tf(torch,*ts),torch.cuda.synchronize)
        if cu:
            cs=[cupy.asarray(a) for a in h]
            d['cupy']=timeit(lambda: f(cupy,*cs),cupy.cuda.Device().synchronize,3)
        res[name]=d; print(name,d,flush=True)
json.dump(res,open(sys.argv[1]+'.'+os.environ.get('TAG','x')+'.json','w'))
