import { describe, expect, it } from 'vitest'
import { hintsOfQuestion } from '../../../src/domain/product/question-words.ts'

const LONG = 'banners, please. '.repeat(1_000)

describe('the hints of a question', () => {
  it('come from the first characters of a brief that is sent again, as those of a brief do', () => {
    const asked = (brief: string) =>
      hintsOfQuestion({ buying_mode: 'refine', brief, refine: [{ scope: 'request', ask: 'more video' }] })
    expect(asked(`in Norway. ${LONG}`)?.countries).toEqual(['NO'])
    expect(asked(`${LONG} in Norway`)?.countries).toEqual([])
  })

  it('are none without words', () => {
    expect(hintsOfQuestion({ buying_mode: 'wholesale' })).toBeUndefined()
  })
})
