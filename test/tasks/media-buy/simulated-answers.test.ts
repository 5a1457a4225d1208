import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { sandbox: true })
})
afterAll(() => agent.stop())

const PERIOD = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z' }

/** What each answer about a buy says of being simulated; reads and feedback need not name the account. */
async function flags(sandbox: boolean) {
  const buyer = sandbox ? await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox }) : agent.buyer
  const { data: created } = await agent.create({}, buyer)
  const ids = { media_buy_ids: [created.media_buy_id] }
  const one = { media_buy_id: created.media_buy_id }
  const answers = [
    created,
    (await buyer.call('get_media_buys', ids)).data,
    (await buyer.call('get_media_buy_delivery', ids)).data,
    (await agent.run('update_media_buy', { ...one, paused: true }, buyer)).data,
    (
      await agent.run(
        'provide_performance_feedback',
        { ...one, measurement_period: PERIOD, performance_index: 1, account: undefined },
        buyer,
      )
    ).data,
  ]
  for (const answer of answers) expect(answer.adcp_error).toBeUndefined()
  return answers.map((answer) => answer.sandbox)
}

test('every answer about a buy of a sandbox agent says that it is simulated, also where the request names no account', async () => {
  expect(await flags(true)).toEqual([true, true, true, true, true])
})

test('no answer about a real buy does', async () => {
  expect(await flags(false)).toEqual([undefined, undefined, undefined, undefined, undefined])
})
