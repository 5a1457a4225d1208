import type { Act } from '../act.ts'
import { exportSignalFile, importSignalFile, listSignals } from './import-signals.ts'

/** What can be done with the signals that the publisher sells, in the order of the help. */
export const signalActs: readonly Act[] = [importSignalFile, exportSignalFile, listSignals]
