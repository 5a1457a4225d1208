// Prints where Node 24 is and what a process needs to run on it, as JSON, or `{ reason }`.
import { obtainNode24 } from './other-node.ts'

const found = obtainNode24()
process.stdout.write(JSON.stringify(typeof found === 'string' ? { reason: found } : found))
