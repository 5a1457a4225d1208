import { afterAll, beforeAll, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { expectOneFigure, expectTwoCurrencies, startEmbeddedOrder } from '../support/embedded-delivery.ts'

let postgres: TestPostgres
let order: Awaited<ReturnType<typeof startEmbeddedOrder>>
beforeAll(async () => {
  postgres = await startPostgres()
  order = await startEmbeddedOrder({ database: await postgres.createDatabase('embedded_delivery') })
})
afterAll(async () => {
  await order?.stop()
  await postgres?.stop()
})

it('delivery of the embedded ad server is one figure for buyer, publisher, charges and revenue', () => expectOneFigure(order))

it('two currencies of one account are never added up: reports, revenue, invoices', async () => {
  const two = await startEmbeddedOrder({ database: await postgres.createDatabase('two_currencies') })
  try {
    await expectTwoCurrencies(two)
  } finally {
    await two.stop()
  }
})
