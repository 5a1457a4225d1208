import { PAGE_SCRIPT } from '../../src/transports/trusted-match/page-script.ts'
import { guessRate } from '../../test/support/match-attack/attack.ts'
import { simulateViews, type Traffic } from '../../test/support/match-attack/page-views.ts'
import { foundByVisits } from '../../test/support/match-attack/repeated-visits.ts'

/**
 * Prints what who holds the logs of both providers finds out about users that return, by rate, pages and visits. `--cached` measures a router that repeats
 * answers about contexts for five minutes, which takes days of at least ten minutes and so some minutes of work.
 */
const cached = process.argv.includes('--cached')
const seconds = cached ? 600 : 30
const LEAST_USERS = 300
const SEED = 7

const rates = cached ? [1, 10] : [1, 10, 100]
for (const placements of [50, 1000])
  for (const perSecond of rates)
    for (const visits of cached ? [2, 10] : [1, 2, 5, 10, 20]) {
      const users = Math.max(LEAST_USERS, perSecond * seconds)
      const traffic: Traffic = {
        views: users * visits,
        perSecond,
        placements,
        seed: SEED,
        visits,
        ...(cached && { contextCacheSeconds: 300 }),
      }
      const logs = await simulateViews(PAGE_SCRIPT, traffic)
      const found = foundByVisits(logs, logs.contexts.length / logs.identities.length)
      const percent = (share: number) => `${(share * 100).toFixed(1)} %`
      console.log(
        [perSecond, placements, visits, percent(guessRate(logs)), percent(found.viewsJoined), percent(found.pagesNamed)].join(
          ' | ',
        ),
      )
    }
