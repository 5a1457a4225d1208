export { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
export { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
