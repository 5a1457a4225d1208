import { describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Change {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}
interface Vectors {
  readonly schema_ref: string
  readonly response: object
  readonly cases: readonly { readonly name: string; readonly valid: boolean; readonly patch: readonly Change[] }[]
}

const files = await wheelVectors('reporting-summary')
const { schema_ref, response, cases } = (files.get('complete-summary.json') ?? {
  schema_ref: '',
  response: {},
  cases: [],
}) as Vectors

/** The answer with some members changed (RFC 6902, as far as the vectors use it: members of objects). */
function patched(changes: readonly Change[]): object {
  const document = structuredClone(response)
  for (const { op, path, value } of changes) {
    const names = path.slice(1).split('/')
    const last = names.pop() ?? ''
    const parent: object = names.reduce((at, name) => Reflect.get(at, name), document)
    if (op === 'remove') Reflect.deleteProperty(parent, last)
    else Reflect.set(parent, last, value)
  }
  return document
}

/** Every answer of get_reporting_status is judged by this schema before it is sent. */
describe.skipIf(wheelIsMissing)('reporting-summary vectors of 3.2.4', () => {
  it('are all there', () => expect(cases).toHaveLength(22))

  it.each(cases)('$name', ({ valid, patch }) => {
    const contract = loadContracts().find('3.2')
    expect(contract?.schemas.validator(schema_ref)(patched(patch)).length === 0).toBe(valid)
  })
})
