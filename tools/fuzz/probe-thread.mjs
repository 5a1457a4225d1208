// A thread of its own, so that what keeps the fuzzer busy is not taken for the server's: asks a path again and again, and says how long each answer took.
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 10
const took = []
let failed = 0
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})
while (!isOver) {
  const started = performance.now()
  try {
    const { ok, body } = await fetch(workerData)
    for await (const _ of body ?? []);
    if (!ok) failed += 1
  } catch {
    failed += 1
  }
  took.push(performance.now() - started)
  await sleep(EVERY_MS)
}
parentPort?.postMessage({ took, failed })
