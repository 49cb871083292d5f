// What instructions do, in words: of x86-64, AArch64 and PTX, by their names

const ELEMENTS = { ps: "f32, a vector", pd: "f64, a vector", ss: "one f32", sd: "one f64" };
const JUMPS = { e: "equal, or zero", ne: "not equal, or not zero", l: "less", le: "less or equal", g: "greater", ge: "greater or equal", b: "below, unsigned", be: "below or equal, unsigned", a: "above, unsigned", ae: "above or equal, unsigned", s: "negative", ns: "not negative", o: "overflow", no: "no overflow", p: "NaN among the operands", np: "no NaN among the operands" };
const condition = (c) => JUMPS[c] ?? c;

const MEANINGS = [
  // x86-64, as AT&T writes it: the last operand is the result
  [/^v?(add|sub|mul|div|min|max|sqrt|andn?|x?or|rcp|rsqrt)(ps|pd|ss|sd)$/, (m) => `${m[1]} of floats: ${ELEMENTS[m[2]]}`],
  [/^vf(n?)m(add|sub)(\d)(\d)\d(ps|pd|ss|sd)$/, (m) => `multiply, ${m[1] ? "change the sign, " : ""}then ${m[2]}, rounded once: operands ${m[3]} and ${m[4]} are multiplied; ${ELEMENTS[m[5]]}`],
  [/^v?movs?(hd|ld)up|^v?(p?unpck|shuf|p?shuf|perm|p?perm|p?blend|p?insr?|insert|p?extr?|extract|p?alignr)/, () => "rearrange elements of vectors"],
  [/^v?movnt/, () => "write to memory past the caches"],
  [/^v?mov(a|u)p[sd]$|^v?movdq(a|u)/, (m) => `move a vector${(m[1] ?? m[2]) === "a" ? ", to or from an aligned address" : ""}`],
  [/^v?mov(s[sd]|[dq])$/, () => "move one element, or the bits of a register"],
  [/^v?p?broadcast/, () => "one element into all places of a vector"],
  [/^v?cvt(t?)/, (m) => `convert to another type${m[1] ? ", towards zero" : ""}`],
  [/^v?round/, () => "round to whole numbers"],
  [/^v?u?comis[sd]$/, () => "compare two floats, for what asks for a condition"],
  [/^v?cmp\w*(ps|pd|ss|sd)$/, () => "compare floats: a mask for each element"],
  [/^v?p?gather/, () => "load elements from places that a vector tells"],
  [/^v?p?(mask|compress|expand)/, () => "move the elements that a mask chooses"],
  [/^v?p(add|sub|mul\w*|max|min|andn?|x?or|abs|sll|srl|sra|cmpeq|cmpgt|test|tern)/, (m) => `${m[1]} of integers in a vector`],
  [/^v?(p?movmsk|ptest|test)/, () => "look at the signs of a vector's elements"],
  [/^vp?mov/, () => "move, widen or narrow integers of a vector"],
  [/^vzero/, () => "clear the upper halves of vectors: code without AVX follows"],
  [/^k(mov|ortest|test|and|or|xor|not|shift|unpck)/, () => "masks of vectors"],
  [/^prefetch|^prfm/, () => "ask for memory that is needed later"],
  [/^lea/, () => "compute an address, without a look at memory: an addition, too"],
  [/^cmov(\w+?)[lqw]?$/, (m) => `move if ${condition(m[1])}`],
  [/^mov([sz])[bwl]/, (m) => `move a smaller integer, ${m[1] === "s" ? "with its sign" : "with zeros above it"}`],
  [/^mov(abs)?[bwlq]?$/, () => "move: from memory where the first operand is (...), to memory where the last one is"],
  [/^(add|sub|adc|sbb|inc|dec|neg|not|and|or|xor|imul|mul|idiv|div)[bwlq]?$/, (m) => `${m[1]} of integers`],
  [/^(shl|sal|shr|sar|rol|ror|shld|shrd|shlx|shrx|sarx|rorx)[bwlq]?$/, () => "shift or rotate bits"],
  [/^(cmp|test|bt)[bwlq]?$/, (m) => ({ cmp: "compare", test: "compare the bits in common with zero", bt: "look at a bit" })[m[1]] + ", for what asks for a condition"],
  [/^set(\w+)$/, (m) => `1 if ${condition(m[1])}, else 0`],
  [/^jmp/, () => "go on there"],
  [/^j(\w+)$/, (m) => `go on there if ${condition(m[1])}`],
  [/^(call\w*|blr?)$/, () => "call a function"],
  [/^(ret\w*)/, () => "back to who called"],
  [/^(push|pop)/, (m) => `${m[1] === "push" ? "put on" : "take from"} the stack`],
  [/^(popcnt|lzcnt|tzcnt|bsr|bsf|blsr|blsi|bzhi|bextr|pext|pdep|andn)/, () => "count or choose bits"],
  [/^(cqto|cltd|cltq|cwtl)/, () => "make an integer wider, with its sign"],
  [/^(lock|xchg|cmpxchg|xadd|[lms]fence)/, () => "in one piece, as other threads see it"],
  [/^(ud2|brk|trap)/, () => "never reached"],
  [/^nop|^data16/, () => "nothing: what follows is aligned"],
  // PTX
  [/^(ld|st)(?:\.\w+)*?\.(global|shared|param|local|const)/, (m) => `${m[1] === "ld" ? "load from" : "store to"} ${{ global: "memory of the GPU", shared: "memory of the block", param: "the arguments", local: "memory of the thread: a spill", const: "constants" }[m[2]]}`],
  [/^(fma|mad)\./, (m) => `multiply and add${m[1] === "fma" ? ", rounded once" : ""}`],
  [/^setp\./, () => "compare: a predicate"],
  [/^selp\./, () => "one or the other, by a predicate"],
  [/^bra/, () => "go on there, if the predicate before it holds"],
  [/^(bar|barrier)\./, () => "wait for the threads of the block"],
  [/^shfl\./, () => "take the register of another thread of the warp"],
  [/^(mma|wgmma|ldmatrix|stmatrix)\./, () => "tensor cores multiply matrices"],
  [/^cp\.async/, () => "copy to memory of the block, while other things are done"],
  [/^(atom|red)\./, () => "in one piece, as other threads see it"],
  [/^(cvta?)\./, (m) => (m[1] === "cvt" ? "convert to another type" : "make an address one of a kind of memory")],
  [/^(ex2|lg2|sin|cos|tanh|rcp|rsqrt|sqrt)\./, (m) => `${m[1]}, by the unit for it`],
  [/^(add|sub|mul|div|rem|min|max|neg|abs|and|or|xor|not|shl|shr|mov|popc|clz|prmt|copysign)\./, (m) => `${m[1]}`],
  // AArch64
  [/^(ld|st)(r|p|ur|n?p|1|2|3|4)\w*$/, (m) => `${m[1] === "ld" ? "load" : "store"}${m[2].includes("p") ? " two registers" : ""}`],
  [/^f(n?m(?:add|sub)|ml[as])$/, () => "multiply and add, rounded once"],
  [/^f(add|sub|mul|div|min|max|sqrt|neg|abs)\w*$/, (m) => `${m[1]} of floats`],
  [/^fcv|^[su]cvtf/, () => "convert to another type"],
  [/^fcm/, () => "compare floats"],
  [/^(movi|mvni|fmov)/, () => "move, or a constant into a register"],
  [/^(bi[tf]|bsl)$/, () => "choose bits by a mask"],
  [/^(zip|uzp|trn|ext|tbl|rev)\d*/, () => "rearrange elements of vectors"],
  [/^b\.(\w+)$|^[ct]bn?z$/, () => "go on there if the condition holds"],
  [/^adrp?$/, () => "the address of something in the program"],
  [/^(add|sub|mul|madd|msub|and|orr|eor|lsl|lsr|asr|cmp|cmn|tst|mov[kzn]?|csel|csinc|cset|dup|ins|umov|[su]xt\w|[su]max|[su]min|ccmp)s?$/, (m) => `${m[1]} of integers, or of bits`],
  [/^b$/, () => "go on there"],
];

function meaning(line) {
  // In words what an instruction does; "" for what is none, or not known
  const name = /^\s+(?:@\S+\s+)?([a-z][\w.]*)/.exec(line)?.[1];
  if (!name) return "";
  for (const [pattern, told] of MEANINGS) {
    const match = pattern.exec(name);
    if (match) return `${name}: ${told(match)}`;
  }
  return "";
}
