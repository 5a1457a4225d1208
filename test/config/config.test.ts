import { describe, expect, it } from 'vitest'
import { publicOrigin } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const schemas = new Schemas()
const load = (flags: object) => loadConfig(schemas, { environment: {}, flags: { ...flags } })

describe('mode', () => {
  it.each([
    [{}, 'development'],
    [{ host: 'localhost' }, 'development'],
    [{ host: '::1' }, 'development'],
    [{ host: '0.0.0.0' }, 'production'],
    [{ host: '::' }, 'production'],
    [{ host: '127.0.0.1.example.com' }, 'production'],
    [{ publicUrl: 'https://ads.example.com' }, 'production'],
    [{ allowedHosts: ['ads.example.com'] }, 'production'],
    [{ trustedProxies: ['10.0.0.0/8'] }, 'production'],
    [{ 'tls.cert': 'a', 'tls.key': 'b' }, 'production'],
    [{ mode: 'production' }, 'production'],
    [{ mode: 'development', host: '0.0.0.0' }, 'development'],
  ])('of %j is %s', (flags, mode) => {
    expect(load(flags).mode).toBe(mode)
  })
})

describe('orders of sandbox buyers', () => {
  it('are booked where those of production buyers are in development alone', () => {
    const flags = { 'adServer.sandboxOrders': 'same' }
    expect(load(flags).adServer.sandboxOrders).toBe('same')
    expect(() => load({ ...flags, mode: 'production' })).toThrow(/adServer\.sandboxOrders.*refused in production mode/)
  })
})

describe('methods that have to be signed', () => {
  it.each([
    [{ conformance: true, 'signing.grading': true }, ['tasks/cancel']],
    [{ conformance: true, 'signing.grading': true, 'signing.protocolMethodsRequiredFor': ['CancelTask'] }, ['CancelTask']],
    [{ conformance: true }, []],
    [{ 'signing.grading': true }, []],
  ])('with %j are %j', (flags, methods) => {
    expect(load(flags).signing.protocolMethodsRequiredFor).toEqual(methods)
  })
})

describe('tls', () => {
  it('needs both files', () => {
    expect(() => load({ 'tls.cert': 'a' })).toThrow(ConfigError)
    expect(publicOrigin(load({ 'tls.cert': 'a', 'tls.key': 'b' }))).toBe('https://127.0.0.1:3000')
    expect(publicOrigin(load({ host: '::1' }))).toBe('http://[::1]:3000')
  })

  it('a proxy is an address or a network, never everybody', () => {
    expect(() => load({ trustedProxies: ['true'] })).toThrow(ConfigError)
    expect(() => load({ trustedProxies: true })).toThrow(ConfigError)
    expect(() => load({ trustedProxies: ['0.0.0.0/0'] })).toThrow(ConfigError)
  })
})
