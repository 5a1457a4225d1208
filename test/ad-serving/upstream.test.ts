import { describe, expect, test } from 'vitest'
import { createUpstreamBackend } from '../../src/ad-serving/upstream/upstream-backend.ts'
import { createLog } from '../../src/platform/log.ts'
import { createOutboundCall } from '../../src/platform/net/outbound-call.ts'
import { NO_MANUAL_ORDERS } from '../support/no-manual-orders.ts'

describe('options of an upstream', () => {
  test.each([
    [{ url: 'ads.example', network: 'n' }, 'options.url must be the address'],
    [{ url: 'https://ads.example/?key=s3cr3t', network: 'n' }, 'options.url takes no query'],
    [{ url: 'https://u:p@ads.example', network: 'n' }, 'options.url takes no query'],
    [{ url: 'https://ads.example' }, 'options.network must be a text'],
    [{ url: 'https://ads.example', network: 'n', sells: 'some' }, 'options.sells must be guaranteed or non_guaranteed'],
    [{ url: 'https://ads.example', network: 'n', apiKey: 'secret' }, 'options.apiKey is no option'],
  ])('%j is refused: %s', (options, message) => {
    const setup = {
      name: 'upstream',
      tenantId: 'acme',
      options,
      credentials: async () => undefined,
      ids: { list: async () => [], save: async () => {}, known: async () => new Set<string>() },
      manual: NO_MANUAL_ORDERS,
      call: createOutboundCall({ userAgent: 'test', loopback: true }),
      clock: () => new Date(),
      log: createLog('silent'),
    }
    expect(() => createUpstreamBackend(setup)).toThrow(message)
  })
})
