export { Secret, TOTP } from 'otpauth'
