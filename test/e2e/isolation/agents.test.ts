import { describe } from 'vitest'
import { describeIds, describeKeys, describeLists, scene } from './suite.ts'

describe('agents', () => {
  const here = scene(false)
  describeLists(here)
  describeKeys(here)
  describeIds(here, false)
})
