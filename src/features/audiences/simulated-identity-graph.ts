import { hash } from 'node:crypto'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Identifier, IdentityGraph } from './identity-graph.ts'

/** Share of identifiers that a publisher knows, in 256ths, by how they usually fare: logged-in mail addresses best, devices worst. */
const KNOWN_OF_256: Readonly<Record<string, number>> = { hashed_email: 192, hashed_phone: 154, click_id: 256 }
const KNOWN_OTHERWISE = 102

/** The default identity graph: it holds no people and says so. Whether it claims to know an identifier follows from a hash of it alone. */
export function createSimulatedIdentityGraph(): IdentityGraph {
  return {
    name: 'simulated identity graph',
    description: 'Matches are simulated: a fixed share of each kind of identifier counts as known.',
    simulated: true,
    async match(identifiers) {
      const known: boolean[] = []
      await eachInTurns(identifiers, (identifier) => known.push(isKnown(identifier)))
      return known
    },
  }
}

function isKnown({ kind, value }: Identifier): boolean {
  const [first = 0] = hash('sha256', `${kind}\n${value}`, 'buffer')
  return first < (KNOWN_OF_256[kind] ?? KNOWN_OTHERWISE)
}
