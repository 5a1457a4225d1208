import type { IdentityGraph } from '../audiences/identity-graph.ts'
import type { CallSystem } from './checked-system.ts'
import { readBoolean, readList } from './read-answer.ts'

/** An identity graph of the publisher's own: one answer for each identifier, true or false. */
export function checkedIdentityGraph(inner: IdentityGraph, call: CallSystem): IdentityGraph {
  const { name, description, simulated } = inner
  return {
    name,
    description,
    simulated,
    match: (identifiers) =>
      call(
        'match',
        () => inner.match(identifiers),
        (answer) => readList(answer, 'the answer', identifiers.length).map((known, index) => readBoolean(known, `item ${index}`)),
      ),
  }
}
