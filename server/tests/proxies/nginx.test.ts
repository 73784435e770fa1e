// @module-tag nginx
import { testProxy } from './test-proxy.ts';

testProxy('nginx');
