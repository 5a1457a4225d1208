import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { adEventSpool } from '../../src/operator/store/ad-event-spool.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import type { EmbeddedEvent } from '../../src/store/embedded/events.ts'

const schemas = new Schemas()
let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'spool-setting-'))
})
afterEach(() => rmSync(data, { recursive: true }))

const spoolOf = (flags: object) => adEventSpool(loadConfig(schemas, { environment: {}, flags: { data, ...flags } }))
const eventsOf = (batch: number): EmbeddedEvent[] =>
  Array.from({ length: 500 }, (_, index) => ({
    ...{ decisionId: `${batch}-${index}`, eventId: `${batch}-${index}.impression`, tenantId: 'demo', lineId: 'line' },
    ...{
      creativeId: 'creative',
      place: 'place',
      kind: 'impression',
      isBot: false,
      rateMicros: 1,
      happenedAt: '2026-05-01T00:00:00.000Z',
    },
  }))

it('has room by default, and writes batches to one segment', async () => {
  const spool = spoolOf({})
  expect((await spool.contents()).hasRoom).toBe(true)
  await spool.append(eventsOf(1))
  await spool.append(eventsOf(2))
  await spool.close()
  expect(readdirSync(join(data, 'ad-events'))).toHaveLength(1)
})

it('is full at the megabytes that are configured', async () => {
  const spool = spoolOf({ 'ads.spoolMegabytes': 1 })
  const fill = async () => {
    for (let batch = 0; batch < 40; batch++) await spool.append(eventsOf(batch))
  }
  await expect(fill()).rejects.toThrow('the spool of events is full')
  await spool.close()
  const { bytes, hasRoom } = await spool.contents()
  expect(hasRoom).toBe(false)
  expect(bytes).toBeGreaterThan(2 ** 19)
  expect(bytes).toBeLessThanOrEqual(2 ** 20)
})
