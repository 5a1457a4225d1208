import { expect, it } from 'vitest'
import { currentAct, currentActs, namesOfAct } from '../../src/domain/audit/former-acts.ts'
import { ACTS } from '../../src/operator/acts.ts'

it('an earlier name stands for the act that has another name now, and an act is found under both', () => {
  const known = new Set(ACTS.map(({ name }) => name))
  for (const [former, now] of [
    ['principals.add', 'buyers.add'],
    ['principals.billing', 'buyers.billing'],
    ['agents.add', 'buyers.add-signing-keys'],
    ['agents.remove', 'buyers.remove-signing-keys'],
  ] as const) {
    expect([former, known.has(former), known.has(now)]).toEqual([former, false, true])
    expect(currentAct(former)).toBe(now)
    expect(currentAct(now)).toBe(now)
    expect(namesOfAct(former)).toEqual([now, former])
    expect(namesOfAct(now)).toEqual([now, former])
  }
  expect(namesOfAct('settings.set')).toEqual(['settings.set', 'tenants.set'])
  expect(namesOfAct('tenants.set')).toEqual(['tenants.set', 'settings.set', 'tenants.set-public'])
  expect(namesOfAct('admin-keys.create-for')).toEqual(['admin-keys.create-for', 'admin-keys.create'])
  expect(currentActs('tenants.*')).toEqual(['tenants.*', 'settings.set'])
  expect(namesOfAct('orders.pause')).toEqual(['orders.pause'])
  expect(currentActs('principals.*')).toEqual(['buyers.*'])
  expect(currentActs('agents.*')).toEqual(['buyers.add-signing-keys', 'buyers.remove-signing-keys'])
  expect(currentActs('constructor')).toEqual(['constructor'])
})
