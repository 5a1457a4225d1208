import { namedPlacesIn } from './named-places.ts'

/** Words after which a text wants the places that follow, in the languages of briefs. An article may stand between. */
const WANTS =
  /(?:^|[^\p{L}\p{N}])(?:in|into|for|to|within|across|inside|through(?:out)?|of|from|on|and|or|plus|also|including|includes?|add|adding|cover(?:s|ing|age)?|reach(?:es|ing)?|target(?:s|ing)?|focus|prefer(?:ably)?|want|need|run|deliver|serve|market|markets|countr(?:y|ies)|only|just|exclusively|solely|strictly|i|im|en|dans|au|aux|für|fur|på|til|till|na|nach|para|per|à|nur|ausschließlich|ausschliesslich|uniquement|seulement|solo|sólo|solamente|únicamente|bara|endast|enbart|kun|bare|alleen)\s+(?:the\s+|la\s+|le\s+|les\s+|die\s+|der\s+|den\s+|el\s+|los\s+|il\s+)?$/iu
/** Where nothing stands before the places, or a mark: nothing that is not known may follow. */
const BEGINS = /(?:^|[,;:.!?()\n/&+–-])[ \t]{0,3}(?:(?:the|la|le|die) )?$/iu
const FOLLOWS =
  /^\s*(?:$|[^\p{L}\s]|(?:only|alone|exclusively|solely|please|too|also|as well|instead|first|mainly|mostly|and|or|with|for|from|in|at|on|via|by|as|is|are|nur|allein|uniquement|seulement|solo|endast|bara|kun|bare|coverage|reach|market|fans|people|users|audiences?|viewers|readers|inventory|products?|placements?|video|display|ctv|audio)(?![\p{L}\p{N}]))/iu
/** The most characters before a list that are looked at. */
const REACH = 60

/** Whether what stands before a place wants it: "in", "fans in the", "only". */
export function isWantedBefore(before: string): boolean {
  return WANTS.test(before.slice(-REACH))
}

/**
 * Whether every country that a clause names stands where places are wanted: "in Norway", "only Norway", "Norway, please". A word beside it that is in no such list ("minus Sweden",
 * "Schweden weglassen") may turn it round, so it is not read. Time grows with the length of the clause.
 */
export function namesPlacesPlainly(clause: string): boolean {
  const { named, lists } = namedPlacesIn(clause)
  return lists.every(({ start, end }) => {
    const before = named.slice(Math.max(0, start - REACH), start)
    return isWantedBefore(before) || (BEGINS.test(before) && FOLLOWS.test(named.slice(end, end + 30)))
  })
}
