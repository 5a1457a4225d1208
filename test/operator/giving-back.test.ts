import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectGivenOnce, expectRebilledNotTakenBack, expectTakenBackOnce, startBooks } from '../support/giving-back.ts'

const ROUNDS = 8

let books: Awaited<ReturnType<typeof startBooks>>
beforeAll(async () => {
  books = await startBooks(ROUNDS + 5)
})
afterAll(() => books?.stop())

it('credit notes, credits and make-goods in the same instant give the same money back once', () =>
  expectGivenOnce({ ...books, sold: books.sold.slice(0, ROUNDS) }))

it('a charge that is taken back beside a credit of it is given back once', () =>
  expectTakenBackOnce({ ...books, sold: books.sold.slice(ROUNDS, ROUNDS + 3) }))

it('credits that both fit are both given in the same instant', async () => {
  const [each] = books.sold.slice(ROUNDS + 3)
  if (!each) throw new Error('no order')
  const { acts, owed } = books
  await Promise.all([...['100', '200', '300'].map((amount) => acts.credit(each, amount)), acts.note(each, '50')])
  expect(await owed(each.order)).toBe(350)
})

it('a charge that is billed anew is not taken back when credits gave it back', () =>
  expectRebilledNotTakenBack({ ...books, sold: books.sold.slice(ROUNDS + 4) }))
