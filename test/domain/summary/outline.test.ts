import { expect, it } from 'vitest'
import { outline } from '../../../src/domain/summary/outline.ts'

const budgets = [20000, 2000, 200, 14.597, 1234567.891]
const rows = Array.from({ length: 40 }, (_, at) => ({
  media_plan_id: `plan-${'x'.repeat(at)}`,
  status: 'pending_creatives',
  total_budget: budgets[at % budgets.length],
  spent: 100_000 + at,
  name: 'A long name of several words that does not fit into the line of a row whatever is done',
}))

it('no row of a list says a part of a number or of an id: what does not fit is left out', () => {
  const text = outline({ plans: rows })
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  expect(lines).toHaveLength(rows.length)
  for (const [at, { media_plan_id: id, total_budget: budget, spent }] of rows.entries()) {
    const line = lines[at] ?? ''
    expect(line).toContain(`media_plan_id ${id}`)
    expect(line.replace(id, '').match(/\d[\d.]*/g) ?? []).toEqual(
      [budget, spent].map(String).filter((number) => line.includes(` ${number}`)),
    )
    expect(line.length <= 112 || line.split(' ').length <= 4).toBe(true)
  }
  expect(lines.some((line) => line.endsWith(', …'))).toBe(true)
  expect(lines[0]).toContain('total_budget 20000')
})

it('a member that is too long ends at a word', () => {
  const sentence = 'every word of it is whole '.repeat(200).trim()
  const text = outline({ message: sentence, plans: rows })
  const line = text.split('\n').find((each) => each.startsWith('message: ')) ?? ''
  expect(line.endsWith(', …')).toBe(true)
  expect(sentence.startsWith(`${line.slice('message: '.length, -', …'.length)} `)).toBe(true)
})

it('an answer about one thing that is too long says that it is shortened, from what, and where all of it is', () => {
  const packages = Array.from({ length: 400 }, (_, at) => ({
    package_id: `package-${at}`,
    budget: at,
    targeting: { geo: ['SE', 'NO'] },
  }))
  const text = outline({ media_buys: [{ media_buy_id: 'mb', packages }] }, 'Next: something.')
  expect(text).toMatch(/\nShortened from \d{5} characters: .*ext \{"answer_text": "json"\}\.$/)
  expect(text.length).toBeLessThan(2_500)
  expect(outline({ media_buys: [{ media_buy_id: 'mb', packages: packages.slice(0, 20) }] })).not.toContain('Shortened')
})
