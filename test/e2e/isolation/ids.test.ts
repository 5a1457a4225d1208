import { describe, expect, it } from 'vitest'
import { BASE_TASKS } from '../../support/base-tasks.ts'
import { idFieldsOf } from '../../support/id-fields.ts'
import { type Holder, KINDS } from '../../support/isolation/holdings.ts'
import { CONTROLLER, kindOf, NOT_OWNED, requestFor, UNCHECKED } from '../../support/isolation/requests.ts'
import { CASES, schemas } from './attack.ts'

describe('the list of ids', () => {
  it('every id of every request is known to this test: owned by somebody, or with a reason why not', () => {
    const unknown = BASE_TASKS.flatMap((task) =>
      idFieldsOf(schemas, task.name)
        .filter((field) => kindOf(task.name, field) === undefined && !(String(field.path.split('.').at(-1)) in NOT_OWNED))
        .map((field) => `${task.name} ${field.path} (${field.entity ?? 'no entity'})`),
    )
    expect(unknown).toEqual([])
  })

  it('every task that takes an owned id has a request here', () => {
    const own = new Proxy({} as Holder['own'], { get: () => 'id' })
    const missing = CASES.filter(({ task, field }) => !requestFor(task.name, field.path, own, 'https://ads.example/mcp'))
    expect(missing.map(({ task, field }) => `${task.name} ${field.path}`)).toEqual([])
  })

  it('has every kind of thing, and every place where one is kept unlooked at', () => {
    expect(new Set(CASES.map(({ kind }) => kind))).toEqual(KINDS)
    const places = new Set(CASES.map(({ task, field }) => `${task.name} ${field.path}`))
    expect(Object.keys(UNCHECKED).filter((place) => !places.has(place))).toEqual([])
    expect(places.size).toBeGreaterThan(90)
    expect(CONTROLLER.length).toBeGreaterThan(5)
  })
})
