import { expect, it } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { readableLine } from '../../src/platform/readable-log.ts'

it('shows time, level, message and facts, redacted, without steering the terminal', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.warn({ port: 8080, authorization: 'secret', name: 'a\u001b[2Jb' }, 'listening')
  log.error({ err: new Error('broken') }, 'failed')
  const [first = '', second = ''] = lines.map(readableLine)
  expect(first).toMatch(/^\d\d:\d\d:\d\d WARN {2}listening port=8080 /)
  expect(first).not.toContain('secret')
  expect(first).toContain('name=a?[2Jb')
  expect(second).toMatch(/ERROR failed.*\nError: broken\n/)
})
