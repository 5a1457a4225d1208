import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { count, type FieldSet, ids, object, text } from '../../src/operator/fields.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { FIELDS_OF, inFieldsOf } from '../../src/operator/refused-field.ts'
import { AdcpError } from '../../src/protocol/errors.ts'
import { sampleOf } from '../support/field-samples.ts'
import { performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let operator: OperatorContext
beforeAll(async () => {
  agent = await startAgent()
  operator = operatorOn(agent.server.store, agent.config)
})
afterAll(() => agent?.stop())

/** Refused where no act runs: a header, options of commands that are no acts, forms of one person, boxes from which a form makes a field of the act. */
const ELSEWHERE = ['Idempotency-Key', 'agent', 'data', 'placements', 'present']

/** What is not found without being named. */
const UNNAMED = ['brands.export']

it.each(ACTS.map((act) => [act.name, act] as const))('%s: a refusal names a field of the act', async (name, act) => {
  const sendable = Object.entries(act.fields).filter(([, { local }]) => !local)
  for (const isSent of [({ required }: { required: boolean }) => required, () => true]) {
    const members = Object.fromEntries(
      sendable.flatMap(([field, its]) => (isSent(its) ? [[field, sampleOf(its.schema)] as const] : [])),
    )
    const refusal: unknown = await performAs(operator, agent.tenant, act, members).catch((error: unknown) => error)
    if (!(refusal instanceof AdcpError)) continue
    if (refusal.code.endsWith('NOT_FOUND') && !UNNAMED.includes(name))
      expect([refusal.message, refusal.field]).toEqual([refusal.message, expect.any(String)])
    if (refusal.field !== undefined) expect(sendable.map(([field]) => field)).toContain(refusal.field.split(/[.[/]/)[0])
  }
})

it('every name stands for a field of some act', () => {
  const known = new Set(ACTS.flatMap(({ fields }) => Object.keys(fields)))
  for (const [name, fields] of Object.entries(FIELDS_OF))
    expect([name, fields.filter((field) => !known.has(field))]).toEqual([name, []])
})

it('code of the acts refuses nothing but fields of acts, or what is known to stand for one', () => {
  const root = fileURLToPath(new URL('../../src/operator/', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const refused = new Set(
    files.flatMap((file) =>
      [...readFileSync(`${root}${file}`, 'utf8').matchAll(/\bfield: '([\w-]+)'/g)].map(([, name = '']) => name),
    ),
  )
  const known = new Set([...ACTS.flatMap(({ fields }) => Object.keys(fields)), ...Object.keys(FIELDS_OF)])
  expect([...refused].filter((name) => !known.has(name)).toSorted()).toEqual(ELSEWHERE)
})

it('a refusal says the name of what was sent', () => {
  const said = (field: string, message: string, fields: FieldSet, sent: object = {}) =>
    inFieldsOf(new AdcpError('INVALID_REQUEST', message, { field }), fields, { ...sent })
  const packages = { package_ids: ids('x') }
  expect(
    said('packages[1].package_id', 'packages[1].package_id "b" is none; packages[0].package_id "a" is', packages, {
      package_ids: ['a', 'b'],
    }),
  ).toMatchObject({ field: 'package_ids[1]', message: 'package_ids[1] "b" is none; package_ids[0] "a" is' })
  expect(said('end_time', 'end_time must be later', { ends_at: text('x') })).toMatchObject({
    field: 'ends_at',
    message: 'ends_at must be later',
  })
  expect(said('media_buy_id', 'there is no order', { order: text('x') })).toMatchObject({ message: 'there is no order' })
})

it('a refusal is about what was sent: the place in it, or none', () => {
  const fields: FieldSet = {
    order: text('x'),
    csv: text('x'),
    document: object('x'),
    limit: count('x'),
    file: { ...text('x'), local: true },
  }
  const named = (field: string | undefined, sent: object = {}) => {
    const error = new AdcpError('INVALID_REQUEST', 'x', { ...(field !== undefined && { field }), details: { a: 1 } })
    const again = inFieldsOf(error, fields, { ...sent })
    expect(again).toMatchObject({ code: 'INVALID_REQUEST', message: 'x', details: { a: 1 } })
    return again instanceof AdcpError ? again.field : 'no error'
  }
  expect(named('media_buy_id')).toBe('order')
  expect(named('pagination.max_results')).toBe('limit')
  expect(named('file')).toBe('document')
  expect(named('file', { csv: 'a' })).toBe('csv')
  expect(named('file', { file: 'a' })).toBe('file')
  expect(named('document.lines[0].name', { document: {} })).toBe('document.lines[0].name')
  expect(named('lines[0].name', { document: {} })).toBe('document.lines[0].name')
  expect(named('/lines/0/name', { document: {} })).toBe('document/lines/0/name')
  expect(named('/lines/0/name', { file: 'a' })).toBe('/lines/0/name')
  expect(named('packages[0].budget')).toBeUndefined()
  expect(named('constructor')).toBeUndefined()
  expect(named(undefined)).toBeUndefined()
})
