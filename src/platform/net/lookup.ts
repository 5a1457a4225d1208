import { lookup as systemLookup } from 'node:dns/promises'

/** All addresses of a name, as text. Rejects when the name has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** All addresses that this machine's resolver knows of a name. Rejects when there is none. */
export async function lookupAll(hostname: string): Promise<readonly string[]> {
  const found = await systemLookup(hostname, { all: true, verbatim: true })
  return found.map((entry) => entry.address)
}
