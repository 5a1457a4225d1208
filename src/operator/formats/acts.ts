import type { Act } from '../act.ts'
import { exportFormats, importFormatFile, listFormats, removeFormat } from './import-formats.ts'

/** What can be done with the publisher's own creative formats, in the order of the help. */
export const formatActs: readonly Act[] = [importFormatFile, listFormats, exportFormats, removeFormat]
