/** Acts by the name that they had in earlier versions, or that all of them were logged under, and the groups `principals.` and `agents.`, whose acts are in `buyers.` now. */
const FORMER: Readonly<Record<string, readonly string[]>> = {
  'agents.add': ['buyers.add-signing-keys'],
  'agents.remove': ['buyers.remove-signing-keys'],
  'agents.*': ['buyers.add-signing-keys', 'buyers.remove-signing-keys'],
  'admin-keys.create': ['admin-keys.create', 'admin-keys.create-for'],
  'tenants.set': ['tenants.set', 'settings.set', 'tenants.set-public'],
  'tenants.*': ['tenants.*', 'settings.set'],
}

/** The names that an act, or a group such as `principals.*`, has now. */
export function currentActs(name: string): readonly string[] {
  return Object.hasOwn(FORMER, name) ? (FORMER[name] ?? []) : [name.replace(/^principals\./, 'buyers.')]
}

/** The name that an act has now: entries of the audit log keep the one under which they were written. */
export function currentAct(name: string): string {
  const [current = name, ...others] = currentActs(name)
  return others.length === 0 ? current : name
}

/** Every name under which entries of an act are in the audit log. */
export function namesOfAct(name: string): readonly string[] {
  const current = currentActs(name)
  const former = Object.keys(FORMER).filter((each) => !each.endsWith('*') && FORMER[each]?.some((act) => current.includes(act)))
  return [
    ...new Set([...current, ...(former.length > 0 ? former : current.map((act) => act.replace(/^buyers\./, 'principals.')))]),
  ]
}
