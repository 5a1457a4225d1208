import { terminalText } from './terminal-text.ts'

/** Members that stand in front of the message or say nothing to a person at a terminal. */
const FIXED = new Set(['level', 'time', 'msg', 'err'])

const LEVELS: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }

/** A line of the log (JSON, already redacted) as a person at a terminal reads it: time, level, message, then what belongs to it. */
export function readableLine(line: string): string {
  const entry: Record<string, unknown> = JSON.parse(line)
  const { level, time, msg, err } = entry
  const at = typeof time === 'number' ? new Date(time).toISOString().slice(11, 19) : ''
  const facts = Object.entries(entry)
    .filter(([name]) => !FIXED.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : ''
  const text = [at, (LEVELS[Number(level)] ?? '').padEnd(5), String(msg ?? ''), ...facts].join(' ')
  return `${terminalText(text)}${terminalText(stack)}\n`
}
