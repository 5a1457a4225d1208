import { parentPort, workerData } from 'node:worker_threads'
import { sqliteDriver } from './choose-sqlite-driver.ts'
import { sqliteDamage } from './sqlite-damage.ts'

/** The program of a thread: checks the file whose path it was started with, by the driver of that name. */
parentPort?.postMessage(sqliteDamage(workerData.path, sqliteDriver(workerData.driver)))
