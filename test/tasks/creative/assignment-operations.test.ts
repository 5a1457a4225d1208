import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
let first: string
let second: string
beforeAll(async () => {
  agent = await startReleaseAgent()
  for (const id of ['a', 'b', 'c'])
    expect((await sync({ creatives: [banner(id)] })).creatives).toMatchObject([{ creative_id: id }])
})
afterAll(() => agent?.stop())

const banner = (creative_id: string) => ({
  creative_id,
  name: creative_id,
  format_kind: 'image',
  assets: {
    image_main: { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250, format: 'png' },
    landing_page_url: { asset_type: 'url', url: 'https://shop.example/' },
  },
})
/** The same as 3.0 names it. */
const earlier = () => {
  const { format_kind: _kind, assets, ...rest } = banner('a')
  const named = { image: assets.image_main, landing_page_url: assets.landing_page_url }
  return { ...rest, format_id: { agent_url: agent.url, id: 'display_300x250' }, assets: named }
}
const sync = async (more: object, line: '3.0' | '3.1' | '3.2' = '3.2') => {
  const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, idempotency_key: randomUUID(), ...more })
  return data
}
const operate = (...operations: object[]) => sync({ assignment_operations: operations })
const assign = (creative_id: string, package_id: string, more: object = {}) => ({
  operation: 'assign',
  creative_id,
  package_id,
  ...more,
})
const unassign = (creative_id: string, package_id: string) => ({ operation: 'unassign', creative_id, package_id })
const replace = (creative_id: string, replaces_creative_id: string, package_id: string, more: object = {}) => ({
  ...{ operation: 'replace', creative_id, replaces_creative_id, package_id },
  ...more,
})
/** Ids of the creatives on a package, with their weights. */
const onPackage = async (packageId: string) => {
  const { data } = await agent.ask('3.2', 'get_media_buys', { account: SUITE_ACCOUNT, include_package_creatives: true })
  const packages = data.media_buys.flatMap(
    (buy: { packages: { package_id: string; creative_approvals?: object[] }[] }) => buy.packages,
  )
  const found = packages.find((pkg: { package_id: string }) => pkg.package_id === packageId)
  return (found?.creative_approvals ?? []).map((each: { creative_id: string }) => each.creative_id)
}
const buy = async () => {
  const item = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', budget: 5000, bid_price: 3 }
  const { data } = await agent.ask('3.2', 'create_media_buy', {
    account: SUITE_ACCOUNT,
    idempotency_key: randomUUID(),
    brand: SUITE_ACCOUNT.brand,
    start_time: 'asap',
    end_time: '2026-06-30T00:00:00Z',
    packages: [item, item],
  })
  return data.packages.map(({ package_id }: { package_id: string }) => package_id)
}

describe('assignment_operations of sync_creatives (AdCP 3.2)', () => {
  beforeEach(async () => {
    ;[first, second] = await buy()
  })

  test('assign, replace and unassign creatives of the library without sending them', async () => {
    const assigned = await operate(assign('a', first, { weight: 70 }), assign('b', first), assign('a', second))
    expect(assigned.creatives).toEqual([
      { creative_id: 'a', action: 'unchanged', assigned_to: [first, second] },
      { creative_id: 'b', action: 'unchanged', assigned_to: [first] },
    ])
    expect(assigned.ext?.ignored_members).toBeUndefined()
    expect(await onPackage(first)).toEqual(['a', 'b'])
    const replaced = await operate(replace('c', 'a', first, { weight: 20 }), unassign('b', first))
    expect(replaced.creatives).toEqual(
      expect.arrayContaining([
        { creative_id: 'c', action: 'unchanged', assigned_to: [first] },
        { creative_id: 'a', action: 'unchanged', assigned_to: [] },
        { creative_id: 'b', action: 'unchanged', assigned_to: [] },
      ]),
    )
    expect(await onPackage(first)).toEqual(['c'])
    expect(await onPackage(second)).toEqual(['a'])
  })

  test('apply in their order, and with creatives of the same request', async () => {
    const { creatives } = await sync({
      creatives: [banner('fresh')],
      assignment_operations: [assign('fresh', first), unassign('fresh', first), assign('fresh', second)],
    })
    expect(creatives).toMatchObject([{ creative_id: 'fresh', action: 'created', assigned_to: [second] }])
    expect([await onPackage(first), await onPackage(second)]).toEqual([[], ['fresh']])
  })

  test.each([
    ['a package that is not there', () => [assign('b', 'no-such')], 'PACKAGE_NOT_FOUND', 'assignment_operations[1].package_id'],
    ['a creative that is not there', () => [assign('none', first)], 'CREATIVE_NOT_FOUND', 'assignment_operations[1].creative_id'],
    ['taking off what is not on', () => [unassign('b', first)], 'INVALID_STATE', 'assignment_operations[1].creative_id'],
    [
      'replacing what is not on',
      () => [replace('c', 'b', first)],
      'INVALID_STATE',
      'assignment_operations[1].replaces_creative_id',
    ],
  ])('are refused as a whole for %s', async (_name, more, code, field) => {
    const { adcp_error: error } = await operate(assign('a', first), ...more())
    expect(error).toMatchObject({ code, field })
    expect(await onPackage(first)).toEqual([])
    const { creatives } = await sync({ creatives: [banner('a')] })
    expect(creatives).toMatchObject([{ action: 'unchanged' }])
  })

  test('take creatives back that came with operations which are refused', async () => {
    const refused = await sync({ creatives: [banner('lost')], assignment_operations: [assign('lost', 'no-such')] })
    expect(refused.adcp_error).toMatchObject({ code: 'PACKAGE_NOT_FOUND' })
    const { data } = await agent.ask('3.2', 'list_creatives', { account: SUITE_ACCOUNT, filters: { creative_ids: ['lost'] } })
    expect(data.creatives).toEqual([])
  })

  test('change nothing where a creative of the request fails', async () => {
    const twice = [banner('twin'), banner('twin')]
    const { creatives } = await sync({ creatives: twice, assignment_operations: [assign('a', first)] })
    expect(creatives).toMatchObject([
      { creative_id: 'twin', action: 'failed' },
      { creative_id: 'twin', action: 'failed' },
      { creative_id: 'a', assigned_to: [], assignment_errors: { [first]: expect.stringContaining('not applied') } },
    ])
    expect(await onPackage(first)).toEqual([])
  })

  test('are rehearsed with dry_run, order included', async () => {
    const rehearsed = await sync({ dry_run: true, assignment_operations: [assign('a', first), replace('b', 'a', first)] })
    expect(rehearsed.creatives).toEqual([
      { creative_id: 'a', action: 'unchanged', assigned_to: [] },
      { creative_id: 'b', action: 'unchanged', assigned_to: [first] },
    ])
    expect(await onPackage(first)).toEqual([])
  })

  test.each([
    ['assignments beside them', { assignments: [{ creative_id: 'a', package_id: 'p' }] }, '3.0', /cannot go with assignments/],
    ['lenient validation', { validation_mode: 'lenient' }, '3.0', /validation_mode has to be "strict"/],
    ['lenient validation', { validation_mode: 'lenient' }, '3.2', /validation_mode/],
  ] as const)('cannot go with %s (%s, AdCP %s)', async (_name, more, line, message) => {
    const { adcp_error: error } = await sync(
      { creatives: [line === '3.0' ? earlier() : banner('a')], assignment_operations: [assign('a', first)], ...more },
      line,
    )
    expect(['INVALID_REQUEST', 'VALIDATION_ERROR']).toContain(error.code)
    expect(error.message).toMatch(message)
  })

  test.each([
    [{ operation: 'remove', creative_id: 'a', package_id: 'p' }, 'assignment_operations[0].operation'],
    [{ operation: 'replace', creative_id: 'a', package_id: 'p' }, 'assignment_operations[0].replaces_creative_id'],
    [{ operation: 'unassign', creative_id: 'a', package_id: 'p', weight: 3 }, 'assignment_operations[0].weight'],
    [{ operation: 'assign', creative_id: 'a', package_id: 'p', weight: 101 }, 'assignment_operations[0].weight'],
    [{ operation: 'assign', creative_id: 'a', package_id: 'p', placement_ids: 'all' }, 'assignment_operations[0].placement_ids'],
  ])('are judged under 3.0 too, whose schema does not name them: %o', async (operation, field) => {
    const { adcp_error: error } = await sync({ creatives: [earlier()], assignment_operations: [operation] }, '3.0')
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', field })
  })
})
