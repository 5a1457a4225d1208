import { expect, it } from 'vitest'
import { namesCredential } from '../../../src/pipeline/credential-names.ts'
import { createAnswerSeal } from '../../../src/security/secrets/sealed-answer.ts'
import { createSecretBox, SealBroken } from '../../../src/security/secrets/secret-box.ts'

const sealUnder = (secret: string) => createAnswerSeal(createSecretBox(secret, 'stored-answers'), namesCredential)
const seal = sealUnder('a secret of at least thirty-two characters')
const ANSWER = {
  list: { list_id: 'l1', name: 'keys: "sealed:no"' },
  auth_token: 'plt_token',
  packages: [{ targeting_overlay: { property_list: { auth_token: 'of the buyer' } } }],
  generation_credentials: [{ provider: 'a', rights_key: 'of the provider' }],
  api_key: null,
}

it('hides what credentials are, at any depth, and nothing else', async () => {
  const text = await seal.write(ANSWER, 'place')
  expect(text).not.toMatch(/plt_token|of the buyer|of the provider/)
  expect(text).toContain('"list_id":"l1"')
  expect(await seal.read(text, 'place')).toEqual(ANSWER)
})

it('leaves an answer without credentials as it is, and reads what was stored before', async () => {
  const plain = { media_buy_id: 'mb1', packages: [{ name: 'token' }] }
  expect(await seal.write(plain, 'place')).toBe(JSON.stringify(plain))
  expect(await seal.read(JSON.stringify(ANSWER), 'place')).toEqual(ANSWER)
})

it('opens in its place and under its secret only', async () => {
  const text = await seal.write(ANSWER, 'place')
  await expect(seal.read(text, 'another place')).rejects.toThrow(SealBroken)
  await expect(sealUnder('another secret of at least thirty-two letters').read(text, 'place')).rejects.toThrow(SealBroken)
})
