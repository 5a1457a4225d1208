import { describe, expect, test } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { setAccountStatus } from '../../../src/operator/accounts/set-account-status.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { sweepChanges } from '../../../src/store/account/account-changes.ts'
import { performAs } from '../../support/operator.ts'
import { principalAgent } from '../../support/principal-agent.ts'
import { LINES } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('changes of what an account holds', () => {
  const contracts = loadContracts()
  const { agent, ask, config, receiver } = principalAgent()
  const party = (name: string) => ({ brand: { domain: `${name}.example` }, operator: 'agency.example', sandbox: true })
  const declare = async (name: string, more: object = {}) => {
    const { data } = await ask('sync_accounts', { accounts: [{ ...party(name), billing: 'operator', ...more }] })
    return data.accounts[0].account_id
  }
  const list = async (account: object, more: object = {}) => (await ask('list_account_changes', { account, ...more })).data
  const creative = (creative_id: string, name = creative_id) => ({
    creative_id,
    name,
    format_id: { agent_url: agent().url, id: 'display_300x250' },
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 },
      click_url: { asset_type: 'url', url: 'https://brand.example/' },
    },
  })
  const idsOf = (changes: readonly { resource: { type: string; resource_id: string }; action: string }[]) =>
    changes.map(({ resource, action }) => `${resource.type} ${resource.resource_id} ${action}`)

  test('are listed once, in order, page by page, and go on behind a checkpoint', async () => {
    const account_id = await declare('ordered')
    const account = { account_id }
    const begin = await list(account, { starting_position: 'latest' })
    expect(begin).toMatchObject({ status: 'completed', changes: [], has_more: false })
    for (const id of ['one', 'two', 'three']) await ask('sync_creatives', { account, creatives: [creative(id)] })
    await ask('sync_creatives', { account, creatives: [creative('one', 'Another name')] })

    const walked: string[] = []
    let cursor = begin.cursor
    for (let more = true; more; ) {
      const page = await list(account, { cursor, max_results: 3 })
      walked.push(...idsOf(page.changes))
      ;({ cursor, has_more: more } = page)
    }
    expect(walked).toEqual(['creative one created', 'creative two created', 'creative three created', 'creative one updated'])
    expect(await list(account, { cursor })).toMatchObject({ changes: [], has_more: false })

    const [first] = (await list(account)).changes
    expect(first).toMatchObject({
      resource: { type: 'account', account_id, resource_id: account_id },
      action: 'created',
      origin: { kind: 'adcp' },
      repair: { task: 'list_accounts' },
    })
    const filtered = await list(account, { resource_types: ['account', 'unheard_of'] })
    expect(idsOf(filtered.changes)).toEqual([`account ${account_id} created`])
    const later = await list(account, { resource_types: ['unheard_of', 'account'], cursor: filtered.cursor })
    expect(later.changes, 'what was passed over is behind the cursor').toEqual([])
  })

  test("of one account are nobody else's, and a cursor belongs to its account and filter", async () => {
    const account = { account_id: await declare('mine') }
    const other = agent().client(await agent().addBuyer({ principal: 'stranger', tenant: agent().tenant, sandbox: true }))
    const refused = await ask('list_account_changes', { account }, other)
    expect(refused.data.adcp_error.code).toBe('ACCOUNT_NOT_FOUND')
    const { cursor } = await list(account)
    const elsewhere = { account_id: await declare('elsewhere') }
    for (const [where, more] of [
      [elsewhere, {}],
      [account, { resource_types: ['creative'] }],
    ] as const) {
      const { data } = await ask('list_account_changes', { account: where, cursor, ...more })
      expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'cursor' })
    }
    const { data } = await ask('list_account_changes', { account, cursor, starting_position: 'latest' })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'starting_position' })
  })

  test('by the publisher say so, and reach subscribers once', async () => {
    const subscriber = config('changes', { event_types: ['account.change_recorded'] })
    const account_id = await declare('followed', { notification_configs: [subscriber] })
    const operator = operatorOn(agent().server.store, agent().config, contracts)
    await performAs(operator, agent().tenant, setAccountStatus, { account: account_id, status: 'suspended' })
    const { changes } = await list({ account_id }, { resource_types: ['account'] })
    expect(changes.at(-1)).toMatchObject({ action: 'updated', origin: { kind: 'seller_operator' } })
    const events = await receiver().expect('/changes', 1 + changes.length)
    const { schemas } = contracts.find('3.2') ?? contracts.base
    const told = events.slice(1).map(({ body }) => body)
    for (const body of told) expect(schemas.validator('core/account-change-recorded-webhook.json')(body)).toEqual([])
    expect(told.map(({ notification_id }) => notification_id)).toEqual(
      changes.map(({ change_id }: { change_id: string }) => change_id),
    )
  })

  test('are kept for 90 days: a checkpoint from before is refused as expired', async () => {
    const account = { account_id: await declare('kept') }
    const { cursor } = await list(account, { starting_position: 'latest', resource_types: ['account'] })
    for (const id of ['a', 'b', 'c']) await ask('sync_creatives', { account, creatives: [creative(id)] })
    await list(account)
    const { store } = agent().server
    await store.transaction((tx) => sweepChanges(tx, new Date('2027-01-01T00:00:00Z'), 1000))
    const { data } = await ask('list_account_changes', { account, cursor, resource_types: ['account'] })
    expect(data.adcp_error).toMatchObject({ code: 'CURSOR_EXPIRED', field: 'cursor' })
    await ask('sync_creatives', { account, creatives: [creative('d')] })
    expect(idsOf((await list(account)).changes)).toEqual(['creative c created', 'creative d created'])
  })
})
