import { parentPort, workerData } from 'node:worker_threads'
import { sqliteDamage } from './sqlite-damage.ts'

/** The program of a thread: checks the file whose path it was started with. */
parentPort?.postMessage(sqliteDamage(String(workerData)))
