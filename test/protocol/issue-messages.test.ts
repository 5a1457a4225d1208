import { describe, expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { describeIssues } from '../../src/protocol/describe-issues.ts'
import { instead } from '../../src/protocol/nearest-name.ts'

const root = loadContracts().base.schemas.requestPlace('list_accounts')

const described = (keyword: string, request: unknown, instancePath = '') => {
  if (!root) throw new Error('list_accounts has no request schema')
  return describeIssues([{ keyword, instancePath, schemaPath: '#', params: {}, message: 'must NOT be valid' }], request, root)
}

test('what a schema excludes is said by the members that were sent', () => {
  const [issue] = described('not', { status: 'active', sandbox: true })
  expect(issue?.message).toBe('has members that exclude each other, or lacks one that the others need; sent: status, sandbox')
  expect(described('not', { status: 'x' }, '/status')[0]?.message).toBe('must not be "x"')
})

test('a union whose forms have no names of their own lists none', () => {
  const [issue] = described('anyOf', { status: 'active' })
  expect(issue?.message).toBe('combines members that do not go together; sent: status')
})

test('a name that is not near any gets those of many that share its words', () => {
  const known = [
    'sports_preroll_q2',
    'sport_display',
    'ctv_sports_live',
    'ros_display',
    'uk_video',
    'kitchen_video',
    'a',
    'b',
    'c',
  ]
  expect(instead('premium_sports_video', known, 'elsewhere')).toBe(
    '; nearest: "sports_preroll_q2", "sport_display", "ctv_sports_live", "uk_video", "kitchen_video"',
  )
  expect(instead('zzz', known, 'get_products lists them')).toBe('; get_products lists them')
  expect(instead('sport_displya', known, 'elsewhere')).toBe('; did you mean "sport_display"?')
  expect(instead('premium_sports', ['sports', 'news'], 'elsewhere')).toBe('; there is: sports, news')
})

const later = loadContracts().all.find(({ line }) => line === '3.2')?.schemas

describe.skipIf(!later)('where a schema takes an object or null', () => {
  const found = (task: string, request: object) =>
    (later?.request(task)(request) ?? []).map(({ pointer, message }) => `${pointer} ${message}`)
  const capped = (frequency_cap: unknown) =>
    found('create_media_buy', {
      idempotency_key: 'a'.repeat(16),
      account: { account_id: 'a' },
      brand: { domain: 'brand.example' },
      start_time: '2027-03-01T00:00:00Z',
      end_time: '2027-04-01T00:00:00Z',
      packages: [{ product_id: 'p', pricing_option_id: 'o', budget: 1, targeting_overlay: { frequency_cap } }],
    })
  const at = '/packages/0/targeting_overlay/frequency_cap'

  test('what is wrong with the object is said, not that it has no form', () => {
    const window = `${at}/window is required beside max_impressions: an object such as {"interval": 1, "unit": "days"}`
    const units = 'individuals, households, devices, accounts, cookies, custom'
    const meant = 'per is whom it counts: send per "individuals" and window {"interval":1,"unit":"days"}'
    expect(capped({ max_impressions: 3, per: 'day' })).toEqual([
      window,
      `${at}/per must be one of: ${units}, not "day"; ${meant}`,
    ])
    expect(capped({ max_impressions: 3 })).toContain(window)
    expect(capped({})).toEqual([`${at} must have suppress or suppress_minutes or max_impressions; it is empty`])
    expect(capped({ max_impressions: 3, per: 'households', window: { interval: 1, unit: 'days' } })).toEqual([])
  })

  test('the example of a postal area is one', () => {
    const [line] = found('create_media_buy', {
      idempotency_key: 'a'.repeat(16),
      account: { account_id: 'a' },
      brand: { domain: 'brand.example' },
      start_time: '2027-03-01T00:00:00Z',
      end_time: '2027-04-01T00:00:00Z',
      packages: [{ product_id: 'p', pricing_option_id: 'o', budget: 1, targeting_overlay: { geo_postal_areas: ['10001'] } }],
    })
    expect(line).toContain('must be an object such as {"country": "US", "system": "zip", "values": ["10001"]}, not "10001"')
  })

  test('a number that may be null is asked for as one, not as an object', () => {
    const update = (budget: unknown) =>
      found('update_media_buy', {
        ...{ idempotency_key: 'a'.repeat(16), account: { account_id: 'a' }, media_buy_id: 'mb', revision: 1 },
        packages: [{ package_id: 'p', budget }],
      })
    expect(update('6000')).toEqual(['/packages/0/budget must be a number or null, not "6000"'])
    expect(update({ amount: 6000, currency: 'EUR' })).toEqual(['/packages/0/budget must be a number or null, not an object'])
    expect(update(6000)).toEqual([])
  })

  test('members that exclude each other are named', () => {
    const brand = { domain: 'brand.example' }
    const request = { idempotency_key: 'a'.repeat(16), brief: 'x', brand, account: { brand, operator: 'brand.example' } }
    expect(found('request_proposals', request)).toEqual([' has account and brand, which exclude each other: send one of them'])
  })

  test('of members of which one is needed all are named', () => {
    expect(found('get_signals', { countries: ['DE'] })).toEqual([
      ' must have signal_spec or signal_refs or signal_ids; sent: countries',
    ])
  })
})

test('findings that no form of a union explains are told as they are: a request that is not valid is never taken for one', () => {
  const [issue] = described('if', { status: 'active' })
  expect(issue).toBeDefined()
})

describe.skipIf(!later)('where a form excludes members', () => {
  const found = (refinement: object) =>
    later
      ?.request('refine_proposals')({ idempotency_key: 'a'.repeat(16), refinements: [refinement] })
      .map((issue) => issue.pointer)

  test('each that was sent is to be left out, whatever else is wrong', () => {
    const entry = { proposal_id: 'p', action: 'finalize' }
    expect(found(entry)).toEqual([])
    expect(found({ ...entry, ask: 'cheaper', constraints: { impressions: { min: 1 } } })).toEqual([
      '/refinements/0/ask',
      '/refinements/0/constraints',
    ])
    expect(found({ ...entry, proposal_id: {}, constraints: {} })).toEqual([
      '/refinements/0/constraints',
      '/refinements/0/proposal_id',
    ])
    const [issue, ...more] =
      later?.request('refine_proposals')({
        idempotency_key: 'a'.repeat(16),
        refinements: [{ ...entry, change_kind: 'amendment' }],
      }) ?? []
    expect(more).toEqual([])
    expect(issue?.message).toBe('must be left out where action is "finalize"')
  })
})

describe.each(loadContracts().all)('an asset of AdCP $line', ({ schemas }) => {
  const faults = (image: unknown) => {
    const creative = {
      creative_id: 'c',
      name: 'n',
      format_id: { agent_url: 'https://ads.example/mcp', id: 'display_300x250' },
      assets: { image },
    }
    const request = { idempotency_key: 'a'.repeat(16), account: { account_id: 'a' }, creatives: [creative] }
    return (schemas.request('sync_creatives')(request) ?? []).map(
      ({ pointer, message }) => `${pointer.replace('/creatives/0/assets/image', '')} ${message}`,
    )
  }
  const url = 'https://cdn.example/a.png'
  const size = ['/width is required: a whole number', '/height is required: a whole number']

  test('is judged by its type, and by the name of its slot where it has none', () => {
    expect(faults({ asset_type: 'image', url })).toEqual(size)
    expect(faults({ asset_type: 'video', url: 'x', width: 300, height: 250 })).toEqual([
      '/url must be an absolute URL such as "https://host.example/path", not "x"',
    ])
    expect(faults({ url })).toEqual(['/asset_type is required: "image"', ...size])
    expect(faults({ asset_type: 'picture', url, width: 300, height: 250 })).toEqual([
      expect.stringMatching(/^\/asset_type must be one of: image, video, .*, not "picture"; did you mean image\?$/),
    ])
  })
})
