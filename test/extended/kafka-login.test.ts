import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KafkaSettings } from '../../src/config/ads-settings.ts'
import { inspectTopic } from '../../src/platform/kafka/inspect-topic.ts'
import { createKafkaReader } from '../../src/platform/kafka/kafka-reader.ts'
import { createKafkaWriter } from '../../src/platform/kafka/kafka-writer.ts'
import { startKafka, type TestKafka } from '../../tools/agent/kafka.ts'
import { createAuthority } from '../support/fake-web/certificate.ts'
import { findJava } from '../support/java.ts'

/** A real broker whose connections are encrypted and ask for a password. */
const { reason } = await findJava()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (reason !== undefined) console.log(`Kafka is not tried with TLS and passwords: ${reason}.`)

const authority = createAuthority()
const LOGIN = { user: 'ads', password: 'a-secret', ...authority.issue('localhost') }
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const
const folder = mkdtempSync(join(tmpdir(), 'kafka-login-'))

let kafka: TestKafka
beforeAll(async () => {
  if (reason === undefined) kafka = await startKafka(1, LOGIN)
}, 300_000)
afterAll(async () => {
  await kafka?.stop()
  rmSync(folder, { recursive: true })
})

function settingsOf(changes: Partial<KafkaSettings> = {}, ca = authority.ca): KafkaSettings {
  const file = join(folder, `${Object.values(changes).join('-') || 'default'}.pem`)
  writeFileSync(file, ca)
  return {
    ...{ brokers: kafka.brokers, topic: 'login', partitions: 2, replicas: 1, retentionHours: 1 },
    ...{ tls: true, ca: file, mechanism: 'SCRAM-SHA-512', user: LOGIN.user, password: LOGIN.password },
    ...changes,
  }
}

async function written(settings: KafkaSettings, value: string) {
  const writer = createKafkaWriter(settings)
  try {
    return await writer.append([{ key: 'line', value: Buffer.from(value) }])
  } finally {
    await writer.close()
  }
}

/** The first answer: a cluster that never had a group makes what it keeps groups in first, and a busy machine is slow to shake hands. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 20) throw error
      await sleep(500)
    }
  }
}

describe.skipIf(reason !== undefined)('Kafka with TLS and passwords', () => {
  it.each(MECHANISMS)(
    'takes and gives events: %s',
    async (mechanism) => {
      const settings = settingsOf({ mechanism, topic: `login-${mechanism}` })
      const [place] = await again(() => written(settings, 'an event'))
      const member = await again(() => createKafkaReader(settings).join())
      try {
        await expect.poll(() => member.assigned(), { timeout: 20_000 }).toHaveLength(2)
        const [slice] = await member.read(new Map([[place?.partition ?? 0, 0]]))
        expect(new Set(slice?.records.map(({ value }) => value.toString()))).toEqual(new Set(['an event']))
        expect(await again(() => inspectTopic(settings))).toMatchObject({ replicas: 1, inSync: 1 })
      } finally {
        await member.close()
      }
    },
    60_000,
  )

  it('refuses a wrong password, an unknown authority and a connection that is not encrypted', async () => {
    for (const mechanism of MECHANISMS)
      await expect(written(settingsOf({ mechanism, password: 'another' }), 'x')).rejects.toThrow()
    const stranger = settingsOf({ topic: 'stranger' }, createAuthority().ca)
    await expect(written(stranger, 'x')).rejects.toThrow()
    const { ca: _ca, ...open } = settingsOf({ tls: false })
    await expect(written(open, 'x')).rejects.toThrow()
  }, 120_000)
})
