// Loaded into a server by `node --import`: measures how long its main thread was kept at a time, in processor time, so that what else the machine does adds
// nothing. Told so by SIGUSR2, it writes the longest since the last time to standard error, with the moment of its end in milliseconds since 1970, whatever the
// clock of the program says: `longest turn: 12 ms, ended 1795806927429`.
import { openSync, readSync } from 'node:fs'

const EVERY_MS = 5
const text = Buffer.alloc(64)
const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')

/** Nanoseconds of this thread so far; `cpuUsage` makes Linux bring its count up to date (getrusage(2)). */
function processorTime() {
  process.cpuUsage()
  return Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ', 1)[0])
}

let longest = 0
let ended = 0
let last = processorTime()
// A timer that is due runs in every turn of the event loop: between two of them lies one long turn, or 5 ms of short ones.
setInterval(() => {
  const now = processorTime()
  if (now - last > longest) {
    longest = now - last
    ended = performance.timeOrigin + performance.now()
  }
  last = now
}, EVERY_MS).unref()

process.on('SIGUSR2', () => {
  process.stderr.write(`longest turn: ${Math.round(longest / 1_000_000)} ms, ended ${Math.round(ended)}\n`)
  longest = 0
})
