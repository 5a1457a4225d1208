import { afterAll, expect, it } from 'vitest'
import { type MeasuredPublisher, measureQuestions, startMeasuredPublisher } from '../../bench/console/publisher.ts'
import { markdown, rowsOf } from '../../bench/console/report.ts'

let publisher: MeasuredPublisher | undefined
afterAll(() => publisher?.stop())

it('the bench of the console gets a valid answer from every page and list of a grown publisher', async () => {
  publisher = await startMeasuredPublisher()
  const taken = []
  for (const orders of [20, 130]) {
    await publisher.grow(orders)
    taken.push(await measureQuestions(publisher.questions, 1))
  }
  const rows = rowsOf(taken)
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter(({ ms, first }) => ![...ms, first].every((each) => each > 0))).toEqual([])
  const page = markdown('2026-01-01', [20, 130], 1, [{ database: 'SQLite', rows }])
  for (const name of ['/orders', 'GET /admin/v1/audit']) expect(page).toContain(`| ${name} | `)
})

it('an answer that grows beyond its goal is missed', () => {
  const rows = rowsOf([
    new Map([
      ['a', { ms: 10, first: 10 }],
      ['b', { ms: 10, first: 10 }],
      ['c', { ms: 90, first: 90 }],
      ['d', { ms: 2, first: 2 }],
    ]),
    new Map([
      ['a', { ms: 14, first: 14 }],
      ['b', { ms: 16, first: 16 }],
      ['c', { ms: 101, first: 101 }],
      ['d', { ms: 6, first: 6 }],
    ]),
  ])
  expect(rows.map(({ name, isMet }) => [name, isMet])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
    ['d', true],
  ])
})
