import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { redactedConfig } from '../../src/config/redacted-config.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const schemas = new Schemas()
const load = (flags: object) => loadConfig(schemas, { environment: {}, flags: { ...flags } })
const BROKERS = { 'ads.events': 'kafka', 'ads.kafka.brokers': ['kafka-1:9092', '[::1]:9092'] }

function problemOf(flags: object): string {
  try {
    load(flags)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
  }
  return ''
}

describe('ads.events', () => {
  it('is the store, until brokers are named', () => {
    expect(load({}).ads.events).toBe('store')
    expect(load(BROKERS).ads.kafka).toMatchObject({ topic: 'adcp-ad-events', partitions: 12, replicas: 3 })
    expect(problemOf({ 'ads.events': 'kafka' })).toContain('ads.kafka.brokers is empty, and ads.events is kafka')
  })

  it('refuses what does not go together, and says what to set', () => {
    expect(problemOf({ ...BROKERS, 'ads.kafka.user': 'ads' })).toContain('ads.kafka.password is missing')
    expect(problemOf({ ...BROKERS, 'ads.kafka.password': 'secret' })).toContain('ads.kafka.user is missing')
    expect(problemOf({ ...BROKERS, 'ads.kafka.ca': 'ca.pem' })).toContain('tls is false')
    expect(problemOf({ ...BROKERS, 'ads.kafka.brokers': ['kafka'] })).toContain('ads.kafka.brokers')
  })

  it('shows no password', () => {
    const config = load({ ...BROKERS, 'ads.kafka.user': 'ads', 'ads.kafka.password': 'a-secret' })
    expect(JSON.stringify(redactedConfig(config))).not.toContain('a-secret')
    expect(config.ads.kafka.password).toBe('a-secret')
  })
})

describe('ads.counters', () => {
  it('is the store, until a server is named', () => {
    expect(load({}).ads.counters).toBe('store')
    const valkey = load({ 'ads.counters': 'valkey', 'ads.valkey.servers': ['valkey:6379'] }).ads.valkey
    expect(valkey).toMatchObject({ cluster: false, prefix: 'adcp-ads', tls: false })
    expect(problemOf({ 'ads.counters': 'valkey' })).toContain('ads.valkey.servers is empty, and ads.counters is valkey')
  })

  it('refuses what does not go together, and shows no password', () => {
    const servers = { 'ads.valkey.servers': ['a:6379', 'b:6379'] }
    expect(problemOf(servers)).toContain('cluster is false')
    const config = load({ ...servers, 'ads.valkey.cluster': true, 'ads.valkey.password': 'a-secret' })
    expect(JSON.stringify(redactedConfig(config))).not.toContain('a-secret')
    expect(problemOf({ 'ads.valkey.user': 'ads' })).toContain('ads.valkey.password is missing')
    expect(problemOf({ 'ads.valkey.ca': 'ca.pem' })).toContain('tls is false')
  })
})
