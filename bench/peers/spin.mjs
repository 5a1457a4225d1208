// Pure JavaScript for as many milliseconds as the argument says; prints how much of it was done.
const until = performance.now() + Number(process.argv[2])
let done = 0
let state = 1
for (; performance.now() < until; done++) {
  for (let n = 0; n < 100_000; n++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
}
process.stdout.write(JSON.stringify({ done, state }))
