import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCredential, normaliseKey } from '../../src/pipeline/credential-scan.ts'
import { declaresField } from '../../src/pipeline/declared-fields.ts'
import { Schemas } from '../../src/protocol/schemas.ts'

const none = () => false

describe('findCredential', () => {
  it.each([
    'authorization',
    'Authorization',
    'bearer',
    'api_key',
    'apiKey',
    'API-KEY',
    'x-api-key',
    'client_secret',
    'clientSecret',
    'platform_access_token',
    'google_ads_access_token',
    'refreshToken',
    'password',
    'db_password',
    'private_key',
    'jwk',
    'jwks',
    'jwks_uri',
    'cookie',
    'x-adcp-auth',
    'ａｐｉ_ｋｅｙ',
    'api\u200b_key',
  ])('finds %s at any depth', (key) => {
    expect(findCredential({ [key]: 'v' }, none)).toBe('found')
    expect(findCredential({ a: [{ b: [[{ [key]: null }]] }] }, none)).toBe('found')
  })

  it.each(['key', 'kid', 'principal', 'brand', 'idempotency_key', 'tokens', 'secretary', 'bearers', 'pricing_option_id'])(
    'leaves %s alone',
    (key) => {
      expect(findCredential({ [key]: 'v' }, none)).toBeUndefined()
    },
  )

  it('fails closed on depth and size', () => {
    let deep: object = {}
    for (let i = 0; i < 70; i++) deep = { d: deep }
    expect(findCredential(deep, none)).toBe('too-large')
    expect(
      findCredential(
        Array.from({ length: 100_001 }, () => 1),
        none,
      ),
    ).toBe('too-large')
  })

  it('finds a planted key wherever it hangs', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('api_key', 'authorization', 'user_password'), (tree, key) => {
        expect(findCredential({ tree, planted: [{ [key]: 1 }] }, none)).toBe('found')
      }),
      { numRuns: 50 },
    )
  })

  it('normalises spellings to one', () => {
    expect(['apiKey', 'API-Key', 'api key', 'Api.Key'].map(normaliseKey)).toEqual(Array(4).fill('api_key'))
  })
})

describe('declaresField', () => {
  const schemas = new Schemas()
  it.each([
    ['create_media_buy', ['push_notification_config', 'authentication', 'credentials'], true],
    ['create_media_buy', ['push_notification_config', 'token'], true],
    ['create_media_buy', ['reporting_webhook', 'authentication', 'credentials'], true],
    ['create_media_buy', ['packages', 'targeting_overlay', 'property_list', 'auth_token'], true],
    ['create_media_buy', ['ext', 'push_notification_config', 'authentication', 'credentials'], false],
    ['create_media_buy', ['context', 'token'], false],
    ['create_media_buy', ['auth_token'], false],
    ['get_adcp_capabilities', ['push_notification_config', 'authentication', 'credentials'], false],
    ['validate_content_delivery', ['records', 'artifact', 'assets', 'access', 'token'], true],
    ['validate_content_delivery', ['records', 'artifact', 'access', 'token'], false],
    ['no_such_task', ['token'], false],
  ] as const)('%s %j: %s', (task, path, expected) => {
    expect(declaresField(schemas, task, path)).toBe(expected)
  })
})
