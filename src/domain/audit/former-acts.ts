/** Acts by the name that they had in earlier versions, and the groups `principals.` and `agents.`, whose acts are in `buyers.` now. */
const FORMER: Readonly<Record<string, readonly string[]>> = {
  'agents.add': ['buyers.add-signing-keys'],
  'agents.remove': ['buyers.remove-signing-keys'],
  'agents.*': ['buyers.add-signing-keys', 'buyers.remove-signing-keys'],
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
  const current = currentAct(name)
  const former = Object.keys(FORMER).find((each) => currentAct(each) === current && each !== current)
  return [...new Set([current, former ?? current.replace(/^buyers\./, 'principals.')])]
}
