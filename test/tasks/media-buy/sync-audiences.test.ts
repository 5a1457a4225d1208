import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuyerDataAgent, hashed, people, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'

let agent: BuyerDataAgent

beforeAll(async () => {
  agent = await startBuyerDataAgent()
})
afterAll(() => agent.stop())

const sync = (...audiences: object[]) => agent.run('sync_audiences', { audiences })
const one = async (audience: object) => (await sync(audience)).data.audiences[0]

describe('sync_audiences', () => {
  it('matches hashed identifiers, counts people once, and is ready from the minimum size', async () => {
    const small = await one({ audience_id: 'vip', name: 'VIP', tags: ['top'], add: people(0, 20) })
    expect(small).toMatchObject({
      audience_id: 'vip',
      name: 'VIP',
      action: 'created',
      status: 'too_small',
      minimum_size: 100,
      uploaded_count: 20,
      total_uploaded_count: 20,
      last_synced_at: '2026-03-01T12:00:00.000Z',
    })
    expect(small).not.toHaveProperty('matched_count')
    const large = await one({ audience_id: 'vip', add: people(10, 290) })
    expect(large).toMatchObject({ action: 'updated', status: 'ready', uploaded_count: 290, total_uploaded_count: 300 })
    expect(large.matched_count).toBeGreaterThan(180)
    expect(large.matched_count).toBeLessThan(270)
    expect(large.effective_match_rate).toBeCloseTo(large.matched_count / 300, 3)
    expect(large.match_breakdown).toEqual([
      { id_type: 'hashed_email', submitted: 300, matched: large.matched_count, match_rate: large.effective_match_rate },
    ])
    expect(await one({ audience_id: 'vip', add: people(0, 300) })).toMatchObject({
      action: 'unchanged',
      total_uploaded_count: 300,
    })
  })

  it('lets people out by id or by identifier, and removing wins over adding', async () => {
    await one({ audience_id: 'leavers', add: people(0, 5) })
    const left = await one({
      audience_id: 'leavers',
      add: people(10, 2),
      remove: [
        { external_id: 'crm-0', hashed_email: hashed('x') },
        { external_id: 'another-id', hashed_email: hashed('person1@mail.example') },
        ...people(10, 1),
      ],
    })
    expect(left).toMatchObject({ action: 'updated', total_uploaded_count: 4 })
  })

  it('takes a suppression list at any size', async () => {
    expect(await one({ audience_id: 'optouts', audience_type: 'suppression', add: people(0, 3) })).toMatchObject({
      status: 'ready',
    })
  })

  it.each([
    ['hashed_email', { external_id: 'a', hashed_email: 'jane@mail.example' }],
    ['external_id', { external_id: 'jane@mail.example', hashed_phone: hashed('+12065551234') }],
    ['external_id', { external_id: '+1 206 555 1234', hashed_phone: hashed('+12065551234') }],
    ['uids[0].value', { external_id: 'a', uids: [{ type: 'other', value: 'jane@mail.example' }] }],
    ['email', { external_id: 'a', hashed_email: hashed('x'), email: 'withheld' }],
    ['ext.Phone_Number', { external_id: 'a', hashed_email: hashed('x'), ext: { Phone_Number: '5551234' } }],
    ['hashed_email', { external_id: 'a', hashed_email: hashed('') }],
  ])('refuses clear text, naming %s', async (name, member) => {
    const { data, isError } = await sync({ audience_id: 'clear', add: [member] })
    expect(isError).toBe(true)
    const { adcp_error: error } = data
    expect([error.field, ...(error.issues ?? []).map((issue: { pointer: string }) => issue.pointer)].join(' ')).toContain(
      name.replace('[0]', '').split('.')[0],
    )
    expect(JSON.stringify(error)).not.toMatch(/jane|206 555|5551234"/)
    const { data: listed } = await agent.run('sync_audiences')
    expect(JSON.stringify(listed)).not.toContain('"clear"')
  })

  it('keeps no identifier as it came', async () => {
    await one({ audience_id: 'kept', add: people(500, 3) })
    const stored = await agent.dump()
    for (const trace of ['crm-500', hashed('person500@mail.example')]) expect(stored).not.toContain(trace)
  })

  it('takes nobody out of an audience that is not there', async () => {
    expect(await one({ audience_id: 'never', remove: people(0, 1) })).toMatchObject({
      action: 'failed',
      errors: [{ code: 'REFERENCE_NOT_FOUND', field: 'audiences[0].audience_id' }],
    })
  })

  it('deletes one audience, or all that a full sync leaves out', async () => {
    await sync({ audience_id: 'gone', add: people(0, 2) }, { audience_id: 'stays' })
    expect(await one({ audience_id: 'gone', delete: true })).toEqual({ audience_id: 'gone', action: 'deleted' })
    expect(await one({ audience_id: 'gone', delete: true })).toMatchObject({
      action: 'failed',
      errors: [{ code: 'REFERENCE_NOT_FOUND', field: 'audiences[0].audience_id' }],
    })
    const { data } = await agent.run('sync_audiences', { audiences: [{ audience_id: 'stays' }], delete_missing: true })
    expect(data.audiences[0]).toMatchObject({ audience_id: 'stays', action: 'unchanged' })
    expect(data.audiences.slice(1).every((row: { action: string }) => row.action === 'deleted')).toBe(true)
    const rows = await agent.server.store.read.selectFrom('audience_members').selectAll().execute()
    expect(rows).toEqual([])
  })

  it('shows another agent nothing', async () => {
    await one({ audience_id: 'mine', add: people(0, 1) })
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    await agent.run(
      'sync_accounts',
      { account: undefined, accounts: [{ brand: { domain: 'other.example' }, operator: 'op.example', billing: 'agent' }] },
      stranger,
    )
    const account = { brand: { domain: 'other.example' }, operator: 'op.example' }
    expect((await agent.run('sync_audiences', { account }, stranger)).data.audiences).toEqual([])
    const { data } = await agent.run('sync_audiences', { account, audiences: [{ audience_id: 'mine', delete: true }] }, stranger)
    expect(data.audiences[0].action).toBe('failed')
  })
})
