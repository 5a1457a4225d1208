import { expect, it } from 'vitest'
import { isCountry } from '../../src/domain/country-names.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { amountOr, readLimit } from '../../src/operator/amount.ts'
import { checkedValues, queryMembers } from '../../src/operator/check-fields.ts'
import {
  atMost,
  clearable,
  currency,
  exact,
  ids,
  ofLength,
  required,
  some,
  someOf,
  text,
  texts,
} from '../../src/operator/fields.ts'
import { countryField, mailField } from '../../src/operator/party-members.ts'
import { inForm } from '../../src/operator/text-form.ts'

const refusal = (given: Readonly<Record<string, unknown>>, fields: Parameters<typeof checkedValues>[1]) => {
  try {
    return checkedValues(given, fields)
  } catch (error) {
    return error
  }
}

it('a text is kept without the blanks around it, and measured so', () => {
  const fields = { note: required(atMost(5, text('a note'))), list: texts('lines'), words: ids('ids') }
  expect(checkedValues({ note: ' \n12345\t ', list: [' a ', 'b'], words: [' c'] }, fields)).toEqual({
    note: '12345',
    list: ['a', 'b'],
    words: ['c'],
  })
  expect(refusal({ note: ' 123456 ' }, fields)).toMatchObject({
    field: 'note',
    message: 'note must be a text of at most 5 characters',
  })
})

it('characters are counted as the description counts them: one beyond the Basic Multilingual Plane is one', () => {
  const fields = { note: atMost(5, text('a note')), code: ofLength(3, 4, text('a code')) }
  expect(checkedValues({ note: '😀😀😀😀😀', code: '😀😀😀😀' }, fields)).toEqual({ note: '😀😀😀😀😀', code: '😀😀😀😀' })
  expect(refusal({ note: '😀😀😀😀😀😀' }, fields)).toMatchObject({ field: 'note' })
  expect(refusal({ code: '😀😀' }, fields)).toMatchObject({ field: 'code' })
})

it('a text that is sent empty is refused, unless that takes away what is there', () => {
  const fields = { name: text('a name'), note: clearable(atMost(5, text('a note'))) }
  for (const name of ['', ' ', '\t\u00a0'])
    expect(refusal({ name }, fields)).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'name',
      message: 'name is empty: leave it out, or give it a text',
    })
  expect(checkedValues({ note: ' ' }, fields)).toEqual({ note: '' })
  expect(refusal({ note: '123456' }, fields)).toMatchObject({ message: 'note must be a text of at most 5 characters' })
})

it('a currency in small letters is the one in capital letters', () => {
  const fields = { currency: currency('of the amount') }
  expect(checkedValues({ currency: ' eur ' }, fields)).toEqual({ currency: 'EUR' })
  expect(refusal({ currency: 'XYZ' }, fields)).toMatchObject({ field: 'currency' })
  expect(refusal({ currency: 'euro' }, fields)).toMatchObject({
    field: 'currency',
    message: 'currency must be the ISO 4217 code of a currency, e.g. EUR',
  })
})

it('a required text of blanks was not sent; a blank item of a list of texts is refused', () => {
  const fields = { note: required(text('a note')), list: texts('lines') }
  for (const note of ['', ' ', '\t\n\u00a0\u2003'])
    expect(refusal({ note }, fields)).toMatchObject({ code: 'INVALID_REQUEST', field: 'note', message: 'note is required' })
  expect(refusal({ note: 'x', list: ['a', ' '] }, fields)).toMatchObject({ field: 'list' })
})

it('an empty text is the list without any; an empty item is refused', () => {
  const fields = { tasks: ids('tasks'), lines: texts('lines'), states: some(someOf(['open', 'done'], 'states')) }
  expect(queryMembers(new URLSearchParams('tasks=&lines=%20'), fields)).toEqual({ tasks: [], lines: [] })
  for (const tasks of [[''], ['a', ' ']])
    expect(refusal({ tasks }, fields)).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'tasks',
      message: 'tasks must be a list of at most 200 texts, none of them empty',
    })
  expect(refusal(queryMembers(new URLSearchParams('states='), fields), fields)).toMatchObject({
    field: 'states',
    message: 'states must be a list of some of open, done, at least one',
  })
})

it('a password and an id of another system are kept to the letter', () => {
  expect(checkedValues({ password: ' secret ' }, { password: exact(text('a password')) })).toEqual({ password: ' secret ' })
})

it('every act refuses blanks for each text that it needs', () => {
  const needed = ACTS.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, each]) =>
      each.required && each.schema.type === 'string' && each.clean ? [{ name, field, each }] : [],
    ),
  )
  expect(needed.length).toBeGreaterThan(80)
  for (const { name, field, each } of needed)
    expect([name, refusal({ [field]: '   ' }, { [field]: each })]).toEqual([
      name,
      expect.objectContaining({ message: `${field} is required` }),
    ])
})

it('days of shortfalls and a password have their limits in the field, with one sentence for each value outside', () => {
  const fieldsOf = (name: string) => ACTS.find((act) => act.name === name)?.fields ?? {}
  const shortfalls = fieldsOf('orders.shortfalls')
  for (const days of [-1, 0, 367])
    expect(refusal({ days }, shortfalls)).toMatchObject({ message: 'days must be a whole number from 1 to 366' })
  expect(checkedValues({ days: 366 }, shortfalls)).toEqual({ days: 366 })
  const { password } = fieldsOf('users.add')
  expect(password?.schema).toMatchObject({ minLength: 16, maxLength: 256 })
  for (const length of [15, 257])
    expect(refusal({ password: 'x'.repeat(length) }, { ...(password && { password }) })).toMatchObject({
      message: 'password must be a text of 16 to 256 characters',
    })
})

it('a text with a form is refused with what it is; one that is cleaned is kept as it should be', () => {
  const name = inForm({ pattern: '^[a-z\\-]+$', words: 'small letters and hyphens' }, atMost(5, text('a name')))
  expect([name.about, name.schema]).toEqual([
    'a name: small letters and hyphens, at most 5 characters',
    { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z\\-]+$' },
  ])
  expect(checkedValues({ name: ' a-b ' }, { name })).toEqual({ name: 'a-b' })
  for (const wrong of ['A', 'a b', 'abcdef'])
    expect(refusal({ name: wrong }, { name })).toMatchObject({
      field: 'name',
      message: 'name must be small letters and hyphens, at most 5 characters',
    })
  const country = countryField('of the party')
  expect(country.schema).toEqual({ type: 'string', pattern: '^$|^[A-Z]{2}$' })
  expect([' s-e ', ''].map((each) => checkedValues({ country: each }, { country }))).toEqual([{ country: 'SE' }, { country: '' }])
  for (const wrong of ['Sweden', 'XX', 'EU', 'UK', 'ZZ', 'SU'])
    expect(refusal({ country: wrong }, { country })).toMatchObject({
      message: 'country must be two letters of a country (ISO 3166-1), e.g. SE',
    })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  // ISO 3166-1 assigns this many codes.
  expect(letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)).toHaveLength(249)
  const email = mailField('of the party')
  expect(['', 'robin@brand.example'].map((each) => checkedValues({ email: each }, { email }).email)).toHaveLength(2)
  for (const wrong of ['nomail', 'a@b@c', 'Robin <robin@brand.example>', 'a@b.example, c@d.example'])
    expect(refusal({ email: wrong }, { email })).toMatchObject({
      message: 'email must be one mail address, e.g. robin@publisher.example, at most 200 characters',
    })
})

it('the pattern of every field is one that browsers and JSON Schema read', () => {
  const patterns = ACTS.flatMap(({ fields }) => Object.values(fields).flatMap(({ schema }) => schema.pattern ?? []))
  expect(patterns.length).toBeGreaterThan(20)
  for (const pattern of patterns) for (const flag of ['u', 'v']) expect(() => new RegExp(String(pattern), flag)).not.toThrow()
})

it('who may be billed and which releases are answered are words that the description lists', () => {
  const { billing, releases } = ACTS.find(({ name }) => name === 'tenants.set')?.fields ?? {}
  expect(billing?.schema.items).toEqual({ type: 'string', enum: ['operator', 'agent', 'advertiser', 'all'] })
  for (const [name, field] of Object.entries({ ...(billing && { billing }), ...(releases && { releases }) }))
    expect(refusal({ [name]: ['nobody'] }, { [name]: field })).toMatchObject({
      field: name,
      message: expect.stringMatching(/^\w+ must be a list of some of .+, all$/),
    })
})

it('an amount that can be read in two ways is none', () => {
  const above = amountOr('none', 'the limit')
  expect(['12,50', '10000', '1 200.5', 'none'].map((text) => above.parse?.(text))).toEqual([12.5, 10_000, 1_200.5, 'none'])
  for (const text of ['10.000', '1,000', '1e3', '0x10', '-5', '']) expect(above.check(above.parse?.(text))).toBe(false)
  expect(() => readLimit('10.000', 'approval_above', 'never')).toThrow('can be read in two ways')
  expect([readLimit('never', 'approval_above', 'never'), readLimit('12,50', 'approval_above', 'never')]).toEqual([
    null,
    12_500_000,
  ])
})
