import type { Logger } from 'pino'
import { pino } from 'pino'
import { readableLine } from './readable-log.ts'

/**
 * The structured log, one JSON line an event; on a terminal a line that a person reads. Redaction is always on: arguments are never handed to the log, and these
 * paths are a second net under that rule.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    redact: {
      paths: [
        'authorization',
        '*.authorization',
        'headers.*',
        '*.credentials',
        '*.token',
        '*.password',
        '*.secret',
        'key',
        '*.key',
        '*.api_key',
      ],
      censor: '[redacted]',
    },
  }
  if (!destination && process.stderr.isTTY)
    return pino(options, { write: (line) => void process.stderr.write(readableLine(line)) })
  // Lines of a tenth of a second are written together: under load a write for each would cost as much as a short call. The buffer is written at exit.
  return pino(options, destination ?? standardError())
}

/** Waiting lines beyond this are dropped: nothing takes them. */
const MOST_WAITING_BYTES = 8_000_000

function standardError() {
  const lines = pino.destination({ fd: 2, sync: false, minLength: 8192, periodicFlush: 100, maxLength: MOST_WAITING_BYTES })
  // A file on a full disk takes no line, and that must not end the process: what waits is written when there is room again.
  lines.on('error', () => undefined)
  return lines
}
