import { afterAll, beforeAll, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { expectGivenOnce, expectRebilledNotTakenBack, expectTakenBackOnce, startBooks } from '../support/giving-back.ts'

const ROUNDS = 12

let postgres: TestPostgres
let books: Awaited<ReturnType<typeof startBooks>>
beforeAll(async () => {
  postgres = await startPostgres()
  books = await startBooks(ROUNDS + 4, { database: await postgres.createDatabase('giving_back') })
})
afterAll(async () => {
  await books?.stop()
  await postgres?.stop()
})

it('credit notes, credits and make-goods in the same instant give the same money back once', () =>
  expectGivenOnce({ ...books, sold: books.sold.slice(0, ROUNDS) }))

it('a charge that is taken back beside a credit of it is given back once', () =>
  expectTakenBackOnce({ ...books, sold: books.sold.slice(ROUNDS, ROUNDS + 3) }))

it('a charge that is billed anew is not taken back when credits gave it back', () =>
  expectRebilledNotTakenBack({ ...books, sold: books.sold.slice(ROUNDS + 3) }))
