import type { Logger } from 'pino'
import { pino } from 'pino'

/**
 * The structured log, one JSON line an event. Redaction is always on: arguments are never handed to the log, and these
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
  return destination ? pino(options, destination) : pino(options, pino.destination({ fd: 2, sync: false }))
}
