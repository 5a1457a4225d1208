import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesCredential, skeletonOf } from '../../src/pipeline/credential-names.ts'
import { findCredential as find, type ScanOptions, searchForCredential } from '../../src/pipeline/credential-scan.ts'
import { holdsCredential, secretsIn, withSpellings } from '../../src/pipeline/credential-values.ts'
import { declaresField } from '../../src/pipeline/declared-fields.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { newKey } from '../../src/security/auth/opaque-key.ts'
import { newListToken } from '../../src/store/inventory-list/list-tokens.ts'
import { CREDENTIAL_NAMES, CREDENTIAL_VALUES, KNOWN_TOKENS, LEGITIMATE_PAYLOADS, ORDINARY_NAMES } from './credential-tables.ts'

const schemas = new Schemas()
const findCredential = (value: unknown, options: Partial<ScanOptions> = {}) =>
  find(value, { isDeclared: () => false, secrets: [], ...options })

describe('names of credentials', () => {
  it('are a table of at least 120', () => expect(CREDENTIAL_NAMES.length + CREDENTIAL_VALUES.length).toBeGreaterThanOrEqual(120))

  it.each(CREDENTIAL_NAMES)('%s is found at any depth, whatever its value', (name) => {
    expect(namesCredential(name), skeletonOf(name)).toBe(true)
    for (const value of ['v', '', null, 1, {}, []]) expect(findCredential({ [name]: value })).toBe('found')
    expect(findCredential({ ext: [{ vendor: [[{ [name]: null }]] }] })).toBe('found')
    expect(findCredential({ context: { [name]: 'v' } })).toBe('found')
  })

  it.each(ORDINARY_NAMES)('%s is ordinary', (name) => {
    expect(namesCredential(name), skeletonOf(name)).toBe(false)
    expect(findCredential({ ext: { [name]: 'v' } })).toBeUndefined()
  })

  it('has one skeleton for all spellings', () => {
    const spellings = [
      'apiKey',
      'API-Key',
      'api key',
      'Api.Key',
      'a_p_i_k_e_y',
      'ａｐｉ＿ｋｅｙ',
      'áṕí_ḱéý',
      'арі_кеу',
      'ap\u200bi\u00adkey',
      'APl_KEY',
      'api_key_2',
    ]
    expect(new Set(spellings.map((each) => skeletonOf(each)))).toEqual(new Set(['aplkey']))
  })

  it('is found wherever it hangs', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('api_key', 'authorization', 'user_password'), (tree, key) => {
        expect(findCredential({ tree, planted: [{ [key]: 1 }] })).toBe('found')
      }),
      { numRuns: 50 },
    )
  })
})

describe('values that are credentials', () => {
  it.each(CREDENTIAL_VALUES)('%s', (_what, value) => {
    const places = [
      { brief: value },
      { ext: { a: [[value]] } },
      { context: value },
      { [value]: true },
      { brief: `see ${value} please` },
    ]
    for (const place of places) expect(findCredential(place), JSON.stringify(place)).toBe('found')
  })

  it('the secrets of the caller itself', () => {
    const { token } = newKey()
    const secrets = secretsIn({ authorization: `Bearer ${token}` })
    expect(secrets).toEqual([token])
    expect(
      findCredential(
        { push_notification_config: { authentication: { credentials: `x${token}x` } } },
        { secrets, isDeclared: () => true },
      ),
    ).toBe('found')
    const basic = secretsIn({ authorization: `Basic ${Buffer.from('ann:open sesame').toString('base64')}` })
    expect(findCredential({ name: 'open sesame' }, { secrets: basic })).toBe('found')
    expect(findCredential({ name: 'ann:open sesame' }, { secrets: basic })).toBe('found')
    // A password is a word like any other in a sentence.
    expect(findCredential({ brief: 'a film called open sesame' }, { secrets: basic })).toBeUndefined()
    expect(secretsIn({ authorization: undefined })).toEqual([])
  })

  it('the key of the caller, in base64 wherever it begins, in hex and percent-encoded', () => {
    const { token } = newKey()
    const bytes = Buffer.from(token)
    const hexOf = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    const texts = [
      ...['', 'x', 'xy', 'xyz'].flatMap((before) => {
        const all = Buffer.from(`${before}${token}, and more`)
        return [all.toString('base64'), all.toString('base64url')]
      }),
      bytes.toString('base64'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      `https://x.example/?n=${hexOf(token)}`,
      hexOf(token).replaceAll('%', '%25'),
      `${token.slice(0, 20)}${hexOf(token.slice(20))}`,
    ]
    for (const text of texts) {
      expect(findCredential({ brief: `see ${text} there` }, { secrets: [token], isDeclared: () => true }), text).toBe('found')
      expect(findCredential({ brief: text }, { secrets: [newKey().token] })).toBeUndefined()
    }
  })

  it('the key of the caller in layers: percent-encoding however often, then escapes, then base64 or hex, and no form twice', () => {
    const { token } = newKey()
    const percent = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    const entities = (text: string) => [...text].map((letter) => `&#${letter.charCodeAt(0)};`).join('')
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const found = (brief: string) => findCredential({ brief }, { secrets: [token], isDeclared: () => true })
    const layered = [
      ...[base64, hex].flatMap((inner) => [percent(inner(token)), entities(inner(token)), percent(entities(inner(token)))]),
      ...[percent(entities(token)), percent(token).replaceAll('%', '%2525')],
    ]
    for (const text of layered) expect(found(text), text).toBe('found')
    for (const text of [base64(base64(token)), hex(base64(token)), entities(token).replaceAll('&', '&amp;')])
      expect(found(text), text).toBeUndefined()
  })

  it('the key of the caller where its base64 looks like an escape', () => {
    const token = 'sk_3982a16fd6a0_yTcLuhZLAPNP6AIyhjQ8vZxUhfx7WCA1FAhJPlvuvmQ'
    const encoded = Buffer.from(token).toString('base64')
    expect(encoded).toContain('0x1a')
    const brief = [...encoded].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    expect(findCredential({ brief }, { secrets: [token], isDeclared: () => true })).toBe('found')
  })

  it('the key of the caller, wrapped, with separators, and in escapes within a longer text', () => {
    const { token } = newKey()
    const bytes = Buffer.from(`The key of our agent, which nobody else may read: ${token}, and more`)
    const eachHex = (before: string, after = '') =>
      [...token].map((letter) => `${before}${letter.charCodeAt(0).toString(16)}${after}`).join('')
    const part = (write: (code: number) => string) =>
      [...token].map((letter, index) => (index % 3 === 0 ? write(letter.charCodeAt(0)) : letter)).join('')
    const wrapped = (text: string, width: number, by: string) => text.replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${by}`)
    const texts = [
      ...[64, 76].flatMap((width) => ['\n', '\r\n', ' '].map((by) => wrapped(bytes.toString('base64'), width, by))),
      wrapped(bytes.toString('base64url'), 40, '\n'),
      ...['  ', ':', ' ', ', ', '-'].map((by) => wrapped(bytes.toString('hex'), 2, by)),
      wrapped(bytes.toString('hex'), 4, ' '),
      ...[eachHex('\\x'), eachHex('\\u00'), eachHex('\\u{', '}'), eachHex('&#x', ';'), eachHex('0x', ', '), eachHex('%')],
      part((code) => `\\x${code.toString(16)}`),
      part((code) => `\\u00${code.toString(16).toUpperCase()}`),
      part((code) => `\\${code.toString(8).padStart(3, '0')}`),
      part((code) => `&#${code};`),
      part((code) => `&#x00${code.toString(16)};`),
      token.replaceAll('_', '&lowbar;'),
      ...['\u200b', '\n', ' ', '\u00ad', '\u2060'].map((by) => wrapped(token, 11, by)),
    ]
    for (const text of texts) {
      for (const value of [text, `here: ${text} (for you)`]) {
        expect(findCredential({ brief: value }, { secrets: [token], isDeclared: () => true }), value).toBe('found')
        expect(findCredential({ context: { note: value } }, { secrets: [token] }), value).toBe('found')
      }
      expect(findCredential({ brief: text }, { secrets: [newKey().token], isDeclared: () => true })).toBe(
        text.includes(token) ? 'found' : undefined,
      )
    }
  })

  it('that are written into JSON, queries, headers and pairs', () => {
    const value = 'a81bc81bdead4e5dabff90865d1e13b1'
    const texts = [
      JSON.stringify({ a: [{ api_key: 'x' }] }),
      JSON.stringify({ a: JSON.stringify({ client_secret: 'x' }) }),
      ` [{"password": null}]`,
      `https://x.example/feed?a=1&api_key=${value}`,
      `https://x.example/#access_token=${value}`,
      `Authorization: Bearer ${value}`,
      `curl -H 'authorization:Token ${value}'`,
      `bearer ${value}`,
    ]
    const pairs = [
      { name: 'Authorization', value: `Bearer ${value}` },
      { key: 'api_key', value },
      { header: 'X-Auth-Key', value: 'x1' },
    ]
    for (const held of [...texts, ...pairs]) {
      for (const place of [{ context: { note: held } }, { ext: [held] }, { po_number: held }])
        expect(findCredential(place), JSON.stringify(place)).toBe('found')
    }
    // What a schema has a place for a free text, an address or a tag at may say it.
    for (const name of ['brief', 'url', 'content', 'description'])
      for (const text of texts) expect(findCredential({ [name]: text }, { isDeclared: () => true }), text).toBeUndefined()
    for (const harmless of [
      'https://x.example/?token={CACHEBUSTER_123456}&auth=%%PATTERN:token1%%',
      'https://x.example/?page_token=a81bc81bdead4e5dabff90865d1e13b1',
      'bearer of international responsibilities',
      'Authorization: required by the client before launch 2026',
      '{MEDIA_BUY_ID}',
      '[1, 2]',
    ])
      expect(findCredential({ ext: harmless }), harmless).toBeUndefined()
    for (const pair of [
      { name: 'Cookies', value: 3.99 },
      { name: 'Secret', value: 'a garden in spring' },
      { name: 'colour', value: 'red' },
      { name: 'password', label: 'x' },
    ])
      expect(findCredential({ ext: pair })).toBeUndefined()
  })

  it.each(KNOWN_TOKENS)('%s is known by its form, wherever no free text stands', (token) => {
    for (const place of [
      { po_number: token },
      { ext: { [token]: 1 } },
      { ext: [`use ${token}.`] },
      { context: { a: `x=${token}` } },
    ])
      expect(findCredential(place), JSON.stringify(place)).toBe('found')
    for (const place of [{ brief: `our ${token}` }, { content: `<script src="https://x.example/?key=${token}">` }])
      expect(findCredential(place, { isDeclared: () => true })).toBeUndefined()
    expect(findCredential({ ext: [token.slice(0, 9), `a${token}`] })).toBeUndefined()
  })

  it('that are pairs of another form, written for a program, or in the header of another scheme', () => {
    const value = 'hunter2Secret9xQ'
    const basic = Buffer.from('ann:hunter2').toString('base64')
    for (const found of [
      ['api_key', value],
      [
        ['x', 'y'],
        ['Authorization', `Bearer ${value}`],
      ],
      { k: 'password', v: value },
      { auth: value },
      { Authentication: `Token ${value}` },
      `Basic ${basic}`,
      `send "basic ${basic}" along`,
      `curl -u ann:hunter2 https://ads.example/`,
      `curl --user "ann:hunter2" https://ads.example/`,
    ])
      expect(findCredential({ ext: { found } }), JSON.stringify(found)).toBe('found')
    for (const none of [
      ['password', 'token'],
      ['api key', 'token economy'],
      ['api_key', value, value],
      { k: 'colour', v: value },
      { auth: true, authentication: { schemes: ['Bearer'] } },
      'Basic instinct rerun marathon',
      'basic accountability2026',
      'a curl of hair',
      '// see docs: ann@ads.example',
      '//cdn.example:443/x@2',
    ])
      expect(findCredential({ ext: { none } }), JSON.stringify(none)).toBeUndefined()
  })

  it('JSON of a text that is JSON, and settings', () => {
    const value = 'a81bc81bdead4e5dabff90865d1e13b1'
    const twice = (held: unknown, times: number): string =>
      times === 0 ? JSON.stringify(held) : JSON.stringify(twice(held, times - 1))
    for (const times of [1, 2, 3]) {
      expect(findCredential({ ext: twice({ api_key: 'x' }, times) })).toBe('found')
      expect(findCredential({ ext: { a: [twice([{ b: { password: 1 } }], times)] } })).toBe('found')
      expect(findCredential({ ext: twice({ a: 'plain' }, times) })).toBeUndefined()
    }
    for (const text of [
      `API_KEY=${value}`,
      `export DB_PASSWORD="${value}"`,
      `x-api-key: ${value}`,
      `cfg = { client_secret: '${value}' }`,
    ]) {
      expect(findCredential({ ext: { note: text } }), text).toBe('found')
      expect(findCredential({ brief: text }, { isDeclared: () => true }), text).toBeUndefined()
    }
    for (const text of ['token: to be agreed with the publisher', `trace_id=${value}`, `password: {PASSWORD_12345}`, 'a:b=c'])
      expect(findCredential({ ext: { note: text } }), text).toBeUndefined()
  })

  it('keys of this program are known by their whole form', () => {
    const { token, keyId } = newKey()
    const isFound = (text: string) => holdsCredential(text, withSpellings([]), 'nothing')
    expect(isFound(token)).toBe(true)
    for (const other of [`sk_${keyId}`, token.slice(0, -1), `${token}x`, `a${token}`, 'sk_live_something', 'plt_short']) {
      expect(isFound(other), other).toBe(false)
    }
  })

  it('tokens may stand where a schema or the documentation has a place for them', () => {
    const jwt = CREDENTIAL_VALUES.find(([what]) => what === 'a JWT')?.[1]
    const listToken = newListToken('property')
    const isDeclared = ([first]: readonly string[]) => first === 'list' || first === 'push'
    for (const carrier of [
      { governance_context: jwt },
      { governance_contexts: [jwt] },
      { ext: { identity_assertion: { format: 'jwt', value: jwt } } },
      { ext: { brand_claims: [jwt] } },
      { push: { credentials: jwt } },
      { list: { auth_token: listToken } },
    ]) {
      expect(findCredential(carrier, { isDeclared }), JSON.stringify(carrier)).toBeUndefined()
    }
    expect(findCredential({ list: { name: listToken } }, { isDeclared })).toBe('found')
    expect(findCredential({ governance_context: newKey().token }, { isDeclared })).toBe('found')
    expect(findCredential({ governance_context: listToken }, { isDeclared })).toBe('found')
  })
})

it('a JWT in an address or tag is its own business, unless it is the credential of the caller', () => {
  const jwt = CREDENTIAL_VALUES.find(([what]) => what === 'a JWT')?.[1] ?? ''
  const tag = `<img src="https://px.example/i?d=${jwt}">`
  const isDeclared = (path: readonly string[]) => declaresField(schemas, 'sync_creatives', path)
  const creatives = [{ assets: { tag: { content: tag } } }]
  expect(findCredential({ creatives }, { isDeclared })).toBeUndefined()
  expect(findCredential({ creatives }, { isDeclared, secrets: secretsIn({ authorization: `Bearer ${jwt}` }) })).toBe('found')
  expect(findCredential({ creatives: [{ assets: { tag: { content: `${tag} ${newKey().token}` } } }] }, { isDeclared })).toBe(
    'found',
  )
  for (const place of [{ context: { content: tag } }, { ext: { url: tag } }, { creatives: [{ name: jwt }] }, { brief: jwt }])
    expect(findCredential(place, { isDeclared }), JSON.stringify(place)).toBe('found')
  expect(findCredential({ context: { note: 'passcode: WELCOME2026NOW' } })).toBe('found')
})

describe('legitimate payloads', () => {
  it('are a table of at least 60', () => expect(LEGITIMATE_PAYLOADS.length).toBeGreaterThanOrEqual(60))

  it.each(LEGITIMATE_PAYLOADS.map((entry) => [entry[0], JSON.stringify(entry[1]).slice(0, 80), entry[1]] as const))(
    '%s %s passes',
    (task, _text, payload) => {
      const isDeclared = (path: readonly string[]) => declaresField(schemas, task, path)
      expect(findCredential(payload, { isDeclared, secrets: [newKey().token] })).toBeUndefined()
    },
  )
})

it('large arguments are looked through in steps, between which others are served', () => {
  const search = searchForCredential(Array(50_000).fill('plain'), { isDeclared: () => false, secrets: [] })
  let steps = 0
  while (!search.next().done) steps++
  expect(steps).toBeGreaterThan(100)
})

it('fails closed on depth and size', () => {
  let deep: object = {}
  for (let i = 0; i < 70; i++) deep = { d: deep }
  expect(findCredential(deep)).toBe('too-large')
  expect(findCredential(Array.from({ length: 100_001 }, () => 1))).toBe('too-large')
})

it('fails closed on names: how long, how many, and how much together', () => {
  const named = (count: number, name: (index: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]))
  expect(findCredential({ [`${'x'.repeat(512)}`]: 1 })).toBeUndefined()
  expect(findCredential({ [`${'x'.repeat(513)}`]: 1 })).toBe('too-large')
  expect(findCredential(named(5_000, (index) => `m${index}`))).toBeUndefined()
  expect(findCredential(named(5_001, (index) => `m${index}`))).toBe('too-large')
  expect(findCredential(named(250, (index) => `${'\ufdfa'.repeat(450)}${index}`))).toBe('too-large')
})

it('a name is one letter where all its letters are of another script', () => {
  expect(skeletonOf('\ufdfa'.repeat(1_000))).toHaveLength(1)
})

describe('declaresField', () => {
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
    ['sync_creatives', ['creatives', 'assets', 'hook', 'security', 'api_key_header'], true],
    ['sync_creatives', ['creatives', 'assets', 'api_key_header'], false],
    ['no_such_task', ['token'], false],
  ] as const)('%s %j: %s', (task, path, expected) => {
    expect(declaresField(schemas, task, path)).toBe(expected)
  })
})

it('texts that are JSON in JSON, and pairs of queries, are examined up to a bound', () => {
  const nested = (levels: number) => {
    let text = JSON.stringify(['x'.repeat(40_000)])
    for (let level = 1; level < levels; level++) text = JSON.stringify([text])
    return text
  }
  expect(findCredential([nested(8)])).toBe(undefined)
  expect(findCredential(Array.from({ length: 10 }, () => nested(8)))).toBe('too-large')
  const pairs = (count: number) => Array.from({ length: 10 }, () => '&a.=a1aaaaaaaaaa'.repeat(count / 10))
  expect(findCredential(pairs(20_000))).toBe(undefined)
  expect(findCredential(pairs(20_010))).toBe('too-large')
})

it('places of what looks like a credential are looked up once each, and up to a bound', () => {
  const urls = (count: number, nameOf: (index: number) => string) => ({
    creatives: Array.from({ length: count }, (_, index) => ({
      [nameOf(index)]: { url: 'https://tags.example/?api_key=a1b2c3d4e5f6' },
    })),
  })
  let asked = 0
  const isDeclared = () => {
    asked++
    return true
  }
  expect(
    findCredential(
      urls(5_000, () => 'tag'),
      { isDeclared },
    ),
  ).toBe(undefined)
  expect(asked).toBe(1)
  expect(
    findCredential(
      urls(500, (index) => `tag${index}`),
      { isDeclared },
    ),
  ).toBe(undefined)
  expect(
    findCredential(
      urls(501, (index) => `tag${index}`),
      { isDeclared },
    ),
  ).toBe('too-large')
})

describe('a long text', () => {
  const secret = 'sk_0123456789ab_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'
  const scan = (value: unknown) => {
    const steps = searchForCredential(value, { secrets: [secret], isDeclared: () => false })
    let count = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return { found: step.value, count }
      count += 1
    }
  }

  it('is looked through in steps, as many texts of some length are', () => {
    expect(scan({ text: '&#115;'.repeat(200_000) }).count).toBeGreaterThanOrEqual(12)
    expect(scan({ texts: Array.from({ length: 36 }, () => 'a'.repeat(90_000)) }).count).toBeGreaterThanOrEqual(18)
    const likeJson = Array.from({ length: 5_000 }, (_, at) => `{"a":1 ${at}}`)
    expect(scan(likeJson).count).toBeGreaterThanOrEqual(2 * Math.floor(likeJson.length / 256))
    expect(scan({ text: 'short' })).toEqual({ found: undefined, count: 0 })
  })

  it.each([10, 82_950, 82_990, 83_001, 99_960, 99_990, 100_001, 165_980, 199_950])('holds a secret at character %d', (at) => {
    const text = (held: string) => `${' '.repeat(at)}${held}${' '.repeat(200_000 - at)}`
    expect(scan({ text: text(secret) }).found).toBe('found')
    expect(scan({ text: text(`https://user:pass@host.example/`) }).found).toBe('found')
    expect(scan({ text: text('nothing of the kind') }).found).toBeUndefined()
  })
})
